// How keys of another program's configuration file are handled. Each known key has a class, so that no key that changes
// a step is silently ignored.
#pragma once

#include <string_view>
#include <vector>

namespace ringmark::replay {

enum class KeyClass {
  modelled,  ///< the step depends on it
  noted,     ///< changes the step, but is not modelled, which a note reports
  refused,   ///< changes the step so much that a prediction without it is useless
  no_effect  ///< on a step
};

/// A key that is noted or refused if its value changes the step.
struct UnmodelledKey {
  std::string_view section, key;  ///< the section is empty at the top level
  KeyClass kind;
  std::string_view words;       ///< what is predicted instead, or the remedy
  std::string_view usual = {};  ///< a value that changes nothing, besides null, false, 0, "auto" and "none"
};

/// `value` as the file has it, without quotes. Where "true" is usual, only words for false change the step.
bool changes_step(std::string_view value, std::string_view usual);

/// The words of a list separated by white space.
std::vector<std::string_view> words_of(std::string_view list);

}  // namespace ringmark::replay

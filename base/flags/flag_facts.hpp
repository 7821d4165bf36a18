// Flags as tests and documents see them.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

struct FlagFacts {
  std::string name;  ///< "--min-bytes", or the name of a positional
  std::string subcommand;
  std::string group;  ///< the heading in --help
  std::string type;   ///< "SIZE"; empty for a switch
  std::string default_text;
  std::string meaning;
  std::vector<std::string> choices{};  ///< if it takes one of a set of words
};

}  // namespace ringmark

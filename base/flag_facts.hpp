// Flags as tests and documents see them.
#pragma once

#include <string>
#include <vector>

namespace ringmark {

struct FlagFacts {
  std::string name;  ///< "--min-bytes"; a positional's own
  std::string subcommand;
  std::string group;  ///< the heading in --help
  std::string type;   ///< "SIZE"; empty for a switch
  std::string default_text;
  std::string meaning;
  std::vector<std::string> choices{};  ///< where it takes one of some words
};

}  // namespace ringmark

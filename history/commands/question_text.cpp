#include "history/commands/question_text.hpp"

namespace ringmark::history {

std::vector<std::string> names_of(const std::vector<Chain>& chains) {
  std::vector<std::string> names;
  const auto settings = distinctions(chains);
  for (std::size_t i = 0; i < chains.size(); ++i)
    names.push_back(chains[i].of_case + (settings[i].empty() ? "" : ", " + settings[i]));
  return names;
}

}  // namespace ringmark::history

#include "results/files/caveat_lines.hpp"

#include <fmt/format.h>

namespace ringmark {

std::string caveat_lines(const std::map<std::string, std::vector<Caveat>>& by_setting, std::string_view indent) {
  std::string text;
  for (const auto& [setting, caveats] : by_setting) {
    for (const auto& caveat : caveats)
      text += fmt::format("{}{}: {}: {}\n", indent, forbids_decision(caveat) ? "in doubt" : "note", setting,
                          in_words(caveat));
  }
  return text;
}

}  // namespace ringmark

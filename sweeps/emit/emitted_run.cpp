#include "sweeps/emit/emitted_run.hpp"

#include <fmt/format.h>

namespace ringmark::sweep {

std::vector<std::string> run_words(const std::string& program, const std::string& sweep_file,
                                   const Overrides& overrides, const std::string& launcher) {
  std::vector<std::string> words{program, "run", sweep_file, "--launcher",
                                 overrides.launcher.empty() ? launcher : overrides.launcher};
  const auto add = [&](const char* flag, const std::string& value) { words.insert(words.end(), {flag, value}); };
  if (overrides.ranks) add("--ranks", std::to_string(*overrides.ranks));
  if (overrides.ranks_per_node) add("--ranks-per-node", std::to_string(*overrides.ranks_per_node));
  for (const auto& [name, values] : overrides.variables) add("--variable", fmt::format("{}={}", name, values));
  for (const auto& label : overrides.labels) add("--label", label);
  return words;
}

}  // namespace ringmark::sweep

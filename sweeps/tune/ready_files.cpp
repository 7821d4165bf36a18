#include "sweeps/tune/ready_files.hpp"

#include <cctype>
#include <cstdint>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sweeps/command.hpp"

namespace ringmark::sweep {
namespace {

std::string as_comment(const std::string& text) {
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) comment += "# " + line + "\n";
  return comment;
}

/// The plug-in's spelling of what NCCL_ALGO or NCCL_PROTO names; empty for lists, exclusions and unknown names. A
/// function may stand before it: "allreduce:Tree".
std::string tuner_word(const Value& value, std::string_view collective) {
  constexpr std::pair<std::string_view, std::string_view> words[]{
      {"tree", "tree"},   {"ring", "ring"},    {"collnetdirect", "collnet_direct"}, {"collnetchain", "collnet_chain"},
      {"nvls", "nvls"},   {"pat", "pat"},      {"nvlstree", "nvls_tree"},           {"ll", "ll"},
      {"ll128", "ll128"}, {"simple", "simple"}};
  if (!value) return "";
  auto name = *value;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.starts_with(fmt::format("{}:", collective))) name.erase(0, collective.size() + 1);
  for (const auto& [nccl, tuner] : words) {
    if (name == nccl) return std::string(tuner);
  }
  return "";
}

}  // namespace

std::string shell_environment(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  const auto resolved = resolve(sweep, setting);
  auto text = as_comment(sweep.question) + as_comment(evidence);
  for (const auto& [name, value] : resolved.environment) {
    text += value ? fmt::format("export {}={}\n", name, shell_line({{*value}, {}})) : fmt::format("unset {}\n", name);
  }
  const auto arguments = shell_line({program_arguments(resolved), {}});
  return text + fmt::format("export RINGMARK_ARGUMENTS={}\n", shell_line({{arguments}, {}}));
}

std::string nccl_conf(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  std::string lines;
  for (const auto& [name, value] : resolve(sweep, setting).environment) {
    if (value && name.starts_with("NCCL_")) lines += fmt::format("{}={}\n", name, *value);
  }
  return lines.empty() ? lines : as_comment(sweep.question) + as_comment(evidence) + lines;
}

std::string nccl_tuner_csv(const Sweep& sweep, const Setting& setting) {
  const auto& weights = sweep.tuning.objective.weights;
  const auto resolved = resolve(sweep, setting);
  auto collective = resolved.program;
  std::erase(collective, '-');
  const auto word = [&](const char* name) {
    const auto found = resolved.environment.find(name);
    return found == resolved.environment.end() ? "" : tuner_word(found->second, collective);
  };
  const auto algorithm = word("NCCL_ALGO"), protocol = word("NCCL_PROTO");
  if (algorithm.empty() || protocol.empty() || weights.empty()) return "";
  return fmt::format("{},{},{},{},{},-1,{},{}\n", collective, weights.begin()->first, weights.rbegin()->first,
                     algorithm, protocol, sweep.ranks_per_node ? nodes_of(resolved) : -1, resolved.ranks);
}

}  // namespace ringmark::sweep

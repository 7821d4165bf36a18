#include "sweeps/tune/ready_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/nccl_tuner.hpp"
#include "results/shell_text.hpp"
#include "sweeps/command.hpp"

namespace ringmark::sweep {
namespace {

/// As NCCL names it, "allreduce"; empty for what is no single collective.
std::string function_of(const Resolved& resolved) {
  if (resolved.program == "link" || resolved.program == "replay") return "";
  auto function = resolved.program;
  std::erase(function, '-');
  return function;
}

}  // namespace

std::string shell_environment(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  const auto resolved = resolve(sweep, setting);
  auto text = as_comment(sweep.question) + as_comment(evidence);
  for (const auto& [name, value] : resolved.environment) {
    text += value
                ? fmt::format("export {}={}\n", name, shell_word(nccl_setting_of(name, *value, function_of(resolved))))
                : fmt::format("unset {}\n", name);
  }
  const auto arguments = shell_line({program_arguments(resolved), {}});
  return text + fmt::format("export RINGMARK_ARGUMENTS={}\n", shell_word(arguments));
}

std::string nccl_conf(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  std::string lines;
  const auto resolved = resolve(sweep, setting);
  for (const auto& [name, value] : resolved.environment) {
    if (value && name.starts_with("NCCL_"))
      lines += fmt::format("{}={}\n", name, nccl_setting_of(name, *value, function_of(resolved)));
  }
  return lines.empty() ? lines : as_comment(sweep.question) + as_comment(evidence) + lines;
}

std::string nccl_tuner_csv(const Sweep& sweep, const Setting& setting) {
  const auto& weights = sweep.tuning.objective.weights;
  const auto resolved = resolve(sweep, setting);
  const auto collective = function_of(resolved);
  const auto word = [&](const char* name) {
    const auto found = resolved.environment.find(name);
    return found == resolved.environment.end() ? "" : nccl_tuner_word(found->second.value_or(""), collective);
  };
  const auto algorithm = word("NCCL_ALGO"), protocol = word("NCCL_PROTO");
  if (algorithm.empty() || protocol.empty() || weights.empty()) return "";
  return nccl_tuner_line({collective, 0, largest_tuned_bytes, algorithm, protocol,
                          sweep.ranks_per_node ? nodes_of(resolved) : -1, resolved.ranks});
}

}  // namespace ringmark::sweep

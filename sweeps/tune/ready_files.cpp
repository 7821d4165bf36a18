#include "sweeps/tune/ready_files.hpp"

#include <fmt/format.h>

#include "sweeps/launch/command.hpp"
#include "transports/nccl/functions.hpp"
#include "transports/nccl/tuner_file.hpp"

namespace ringmark::sweep {

ReadySettings ready_settings(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  const auto resolved = resolve(sweep, setting);
  ReadySettings ready{fmt::format("{}\n{}", sweep.question, evidence), resolved.environment, flags_of(resolved)};
  const auto collective = nccl_function(name(resolved.program));
  for (auto& [name, value] : ready.environment) {
    if (value) value = nccl_setting_of(name, *value, collective);
  }
  return ready;
}

std::string nccl_tuner_csv(const Sweep& sweep, const Setting& setting) {
  const auto& weights = sweep.tuning.objective.weights;
  const auto resolved = resolve(sweep, setting);
  const auto collective = nccl_function(name(resolved.program));
  const auto word = [&](const char* name) {
    const auto found = resolved.environment.find(name);
    return found == resolved.environment.end() ? "" : nccl_tuner_word(found->second.value_or(""), collective);
  };
  const auto algorithm = word("NCCL_ALGO"), protocol = word("NCCL_PROTO");
  if (collective.empty() || algorithm.empty() || protocol.empty() || weights.empty()) return "";
  return nccl_tuner_line({collective, 0, largest_tuned_bytes, algorithm, protocol,
                          sweep.ranks_per_node ? nodes_of(resolved) : -1, resolved.ranks});
}

}  // namespace ringmark::sweep

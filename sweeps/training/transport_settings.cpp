#include "sweeps/training/transport_settings.hpp"

#include <algorithm>

#include "base/transport.hpp"
#include "sweeps/file/variable_file.hpp"

namespace ringmark::sweep {
namespace {

using Values = std::vector<std::pair<const char*, std::vector<const char*>>>;

Values usual_values(Transport transport) {
  switch (transport) {
    case Transport::tcp:
      return {{"tcp.sockets", {"2", "4"}}, {"tcp.slice", {"32K", "1M"}}};
    case Transport::verbs:
      return {{"verbs.queue_pairs", {"2", "4"}}, {"verbs.slice", {"32K", "1M"}}};
    case Transport::nccl:
      return {{"NCCL_ALGO", {"allreduce:Ring", "allreduce:Tree"}},
              {"NCCL_MIN_NCHANNELS", {"8", "16"}},
              {"NCCL_NTHREADS", {"256", "512"}}};
    default:
      return {};
  }
}

}  // namespace

std::vector<Variable> collective_variables(const TrainingRun& run) {
  if (run.collective) return *run.collective;
  const auto given = run.base.arguments.find("transport");
  const auto text = given == run.base.arguments.end() ? std::nullopt : given->second;
  const auto transport = text ? parse_transport(*text) : std::optional(Transport::tcp);
  std::vector<Variable> variables;
  for (const auto& [name, values] : usual_values(transport.value_or(Transport::mpi))) {
    if (run.base.arguments.contains(name) || run.base.environment.contains(name)) continue;
    Variable variable{name, target_of(name), {std::nullopt}, false, run.line_of("change"), {}};
    variable.values.insert(variable.values.end(), values.begin(), values.end());
    variable.ordered = variable.target == Target::setting;
    variable.value_lines.assign(variable.values.size(), variable.line);
    variables.push_back(std::move(variable));
  }
  return variables;
}

Variable step_variable(const std::vector<std::string>& files) {
  Variable variable{"trace", Target::flag, {}, false, 1, {}};
  variable.values.assign(files.begin(), files.end());
  variable.value_lines.assign(files.size(), 1);
  return variable;
}

TransportSettings settings_of(const std::vector<Variable>& variables, const Setting& setting) {
  TransportSettings settings;
  for (std::size_t v = 0; v < variables.size(); ++v) settings[variables[v].name] = setting[v];
  return settings;
}

void set_transport(const TransportSettings& settings, Sweep& sweep) {
  for (const auto& [name, value] : settings)
    (target_of(name) == Target::environment ? sweep.environment : sweep.arguments)[name] = value;
}

std::map<std::string, std::string> difference(const TransportSettings& settings, const TransportSettings& from) {
  std::map<std::string, std::string> changed;
  for (const auto& [name, value] : settings) {
    if (from.at(name) != value) changed[name] = to_text(value);
  }
  return changed;
}

}  // namespace ringmark::sweep

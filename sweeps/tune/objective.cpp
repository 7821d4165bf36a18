#include "sweeps/tune/objective.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/datatype.hpp"
#include "base/operation.hpp"
#include "base/text/error_text.hpp"
#include "base/units.hpp"
#include "replay/trace/trace_file.hpp"
#include "results/schema/columns.hpp"
#include "sweeps/file/yaml_values.hpp"

namespace ringmark::sweep {
namespace {

/// Counts each size, in bytes of the full tensor, among the trace's calls of a collective on all ranks. Throws
/// std::exception if the trace cannot be read or has no such call.
std::map<std::uint64_t, double> message_mix(const std::string& path, const std::string& collective) {
  const auto trace = replay::read_trace(path);
  std::map<std::uint64_t, double> mix;
  for (const auto& event : trace.events) {
    const bool is_of_all = trace.group_of(event).kind == replay::Group::Kind::world;
    if (event.kind != replay::EventKind::collective || !is_of_all || name(event.collective) != collective) continue;
    mix[event.elements * size_bytes(event.type)] += 1;
  }
  if (mix.empty()) throw std::runtime_error(fmt::format("{} has no {} of all ranks", path, collective));
  return mix;
}

void read_weights(YamlReader& read, const YAML::Node& node, Objective& objective) {
  for (const auto& [size, weight, line] : read.map("tune.objective.sizes", node)) {
    const auto bytes = parse_size(size);
    if (!bytes) read.problem(line, "tune.objective.sizes: '{}' is not a size; give one like 64K", size);
    objective.weights[bytes.value_or(0)] = read.number("tune.objective.sizes." + size, weight, 1e-12, 1e12);
  }
}

std::optional<double> interpolate(const std::map<std::uint64_t, double>& times, std::uint64_t bytes) {
  const auto above = times.lower_bound(bytes);
  if (above == times.end()) {
    // Reduce-scatter and all-gather round a size down to whole blocks.
    const auto last = times.rbegin();
    constexpr double rounding = 1.02;
    return static_cast<double>(bytes) <= rounding * static_cast<double>(last->first) ? std::optional(last->second)
                                                                                     : std::nullopt;
  }
  if (above->first == bytes) return above->second;
  if (above == times.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const auto log_of = [](std::uint64_t size) {
    return std::log(static_cast<double>(std::max<std::uint64_t>(size, 1)));
  };
  const double share = (log_of(bytes) - log_of(below->first)) / (log_of(above->first) - log_of(below->first));
  return std::exp(std::log(below->second) * (1 - share) + std::log(above->second) * share);
}

}  // namespace

Objective read_objective(YamlReader& read, const YAML::Node& node, const std::string& sweep_file) {
  Objective objective;
  if (!node.IsMap()) {
    const auto bytes = node.IsScalar() ? parse_size(node.Scalar()) : std::nullopt;
    if (!bytes)
      read.problem(node, "tune.objective: {} is not a size; give one like 1M, or a map with sizes, trace or column",
                   YamlReader::shown(node));
    objective.weights[bytes.value_or(0)] = 1;
    return objective;
  }
  std::string trace, collective = "all_reduce";
  int given = 0;
  for (const auto& [key, value, line] : read.map("tune.objective", node, {"sizes", "trace", "collective", "column"})) {
    given += key != "collective";
    if (key == "sizes") read_weights(read, value, objective);
    if (key == "trace") trace = read.text("tune.objective.trace", value);
    if (key == "collective") collective = read.text("tune.objective.collective", value);
    if (key == "column") objective.column = read.text("tune.objective.column", value);
  }
  const int line = YamlReader::line_of(node);
  if (given != 1) read.problem(line, "tune.objective: give one of sizes, trace and column");
  if (role_of(objective.column) == Role::rate)
    read.problem(line, "tune.objective.column: larger values of {} are better; give a time, such as time_us_p50",
                 objective.column);
  if (trace.empty()) return objective;
  const auto path = relative_to(sweep_file, trace);
  try {
    objective.weights = message_mix(path, collective);
  } catch (const std::exception& error) {
    read.problem(line, "tune.objective.trace: {}", text_of(error));
  }
  return objective;
}

std::optional<double> score(const Objective& objective, const std::vector<Record>& rows) {
  if (rows.empty()) return std::nullopt;
  std::map<std::uint64_t, std::pair<double, int>> sums;
  for (const auto& row : rows) {
    // Ranks that share a GPU take turns, so their times do not depend on the setting.
    const bool is_usable = row.status == Status::ok && row.time_sliced.value_or(0) == 0;
    const auto value = is_usable ? figure_of(row, objective.column) : std::nullopt;
    if (!value || !(*value > 0)) return std::nullopt;
    auto& [sum, count] = sums[row.size_bytes];
    sum += *value;
    ++count;
  }
  std::map<std::uint64_t, double> times;
  double total = 0;
  for (const auto& [size, sum] : sums) {
    times[size] = sum.first / sum.second;
    total += times[size];
  }
  if (objective.weights.empty()) return total / static_cast<double>(times.size());
  double weighted = 0;
  for (const auto& [size, weight] : objective.weights) {
    const auto time = interpolate(times, size);
    if (!time) return std::nullopt;
    weighted += weight * *time;
  }
  return weighted;
}

std::string describe(const Objective& objective) {
  if (objective.weights.empty()) return "mean " + objective.column;
  if (objective.weights.size() == 1)
    return fmt::format("median time at {} (µs)", format_size(objective.weights.begin()->first));
  return fmt::format("weighted time over {} sizes (µs)", objective.weights.size());
}

}  // namespace ringmark::sweep

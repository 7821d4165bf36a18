#include "replay/step/measured_table.hpp"

#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_reader.hpp"

namespace ringmark::replay {
namespace {

constexpr std::array all_phases{Phase::forward, Phase::recompute, Phase::backward, Phase::step};

bool stands_for(const std::string& pattern, const std::string& tag) {
  return pattern.ends_with('*') && tag.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

MeasuredTable::MeasuredTable(const std::string& file) : file_(file) {
  YamlReader read(file, YamlReader::Policy::throws);
  const auto root = read_yaml(file, whole_file(file, "--compute-table " + file));
  std::vector<std::string> names;
  for (const auto phase : all_phases) names.emplace_back(name(phase));
  constexpr double most_us = 1e12;
  for (const auto& [phase, times, line] : read.map("a table of computations", root, names)) {
    auto& table = phases_[static_cast<std::size_t>(*parse_phase(phase))];
    for (const auto& [tag, us, tag_line] : read.map(phase, times))
      table[tag] = read.number(fmt::format("{}: {}: microseconds", phase, tag), us, 0.0, most_us);
  }
}

std::optional<MeasuredTable::Entry> MeasuredTable::entry_for(Phase phase, const std::string& tag) const {
  const auto& table = phases_[static_cast<std::size_t>(phase)];
  if (const auto exact = table.find(tag); exact != table.end()) return exact;
  std::optional<Entry> longest;
  for (auto entry = table.begin(); entry != table.end(); ++entry) {
    if (stands_for(entry->first, tag) && (!longest || entry->first.size() > (*longest)->first.size())) longest = entry;
  }
  return longest;
}

std::optional<double> MeasuredTable::time_us(const Event& event) const {
  if (!computes(event)) return std::nullopt;
  auto found = entry_for(event.phase, event.tag);
  if (!found && event.phase == Phase::recompute) found = entry_for(Phase::forward, event.tag);
  return found ? std::optional((*found)->second) : std::nullopt;
}

void MeasuredTable::require_used(const StepTrace& trace) const {
  std::array<std::set<std::string>, 4> used;
  for (const auto& event : trace.events) {
    if (!computes(event)) continue;
    if (const auto found = entry_for(event.phase, event.tag))
      used[static_cast<std::size_t>(event.phase)].insert((*found)->first);
    if (const auto forward = entry_for(Phase::forward, event.tag); event.phase == Phase::recompute && forward)
      used[static_cast<std::size_t>(Phase::forward)].insert((*forward)->first);
  }
  for (const auto phase : all_phases) {
    for (const auto& [tag, us] : phases_[static_cast<std::size_t>(phase)]) {
      if (tag != "*" && !used[static_cast<std::size_t>(phase)].contains(tag))
        throw BadUsage(
            fmt::format("{}: {}: {}: no computation of the step has this name; ringmark-replay show --events "
                        "lists the names",
                        file_, name(phase), tag));
    }
  }
}

}  // namespace ringmark::replay

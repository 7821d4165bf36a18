#include "sweeps/answer/group_slowdowns.hpp"

#include <fmt/format.h>

#include "base/text/text_table.hpp"
#include "base/units.hpp"
#include "results/schema/benchmark_case.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::sweep {

std::vector<double> GroupTimes::Launches::times_us() const {
  std::vector<double> times;
  for (const auto& [launch, rows] : by_launch) times.push_back(geometric_mean(rows));
  return times;
}

void GroupTimes::add(const Record& row, const std::string& setting) {
  const auto& settings = row.settings;
  if (!settings.beside || settings.members.empty()) return;
  auto ranks_alone = row;
  ranks_alone.settings.groups.clear();
  ranks_alone.settings.group.clear();
  ranks_alone.settings.beside.reset();
  const Key key{setting, case_of(ranks_alone), row.size_bytes};
  auto& launches = settings.beside == Company::alone ? alone_[key] : together_[key][settings.groups];
  launches.name = case_of(row);
  launches.by_launch[row.launch.value_or(0)].push_back(*row.time_us_p50);
  if (row.network) launches.networks.insert(std::string(name(*row.network)));
  launches.caveats.add(caveats_of(row));
}

std::vector<GroupSlowdown> GroupTimes::slowdowns() const {
  std::vector<GroupSlowdown> found;
  std::vector<LaunchTimes> pairs;
  for (const auto& [key, companies] : together_) {
    const auto alone = alone_.find(key);
    if (alone == alone_.end()) continue;
    for (const auto& [groups, together] : companies) {
      auto caveats = together.caveats.caveats();
      merge(caveats, alone->second.caveats.caveats());
      auto& each = found.emplace_back(GroupSlowdown{together.name,
                                                    key.setting,
                                                    key.size_bytes,
                                                    together.times_us(),
                                                    alone->second.times_us(),
                                                    {},
                                                    {},
                                                    std::move(caveats)});
      each.refusal = path_mismatch(together.networks, alone->second.networks, false);
      if (each.refusal.empty()) pairs.push_back({each.together_us, each.alone_us});
    }
  }
  const auto differences = compare_launches(pairs);
  std::size_t next = 0;
  for (auto& each : found) {
    if (each.refusal.empty()) each.difference = differences[next++];
  }
  return found;
}

std::string in_words(const std::vector<GroupSlowdown>& slowdowns) {
  if (slowdowns.empty()) return "";
  std::vector<std::vector<std::string>> lines{
      {">slowdown", ">interval", "measured", "setting", ">together (us)", ">alone (us)", "alongside others"}};
  for (const auto& each : slowdowns) {
    const auto& [ratio, interval] = std::pair(each.difference.ratio, each.difference.interval);
    const bool is_compared = each.refusal.empty();
    lines.push_back({is_compared ? fmt::format("{:.3f}", ratio) : "-",
                     is_compared && interval ? fmt::format("{:.3f} to {:.3f}", interval->low, interval->high) : "-",
                     fmt::format("{} {}", each.name, format_size(each.size_bytes)), each.setting,
                     fmt::format("{:.1f}", median(each.together_us)), fmt::format("{:.1f}", median(each.alone_us)),
                     is_compared ? fmt::format("{}{}", name(each.difference.verdict),
                                               forbid_decision(each.caveats) ? ", in doubt" : "")
                                 : "not compared: " + each.refusal});
  }
  return "groups alongside others, compared with alone:\n" + print_table(std::move(lines)) + "\n";
}

}  // namespace ringmark::sweep

#include "analysis/compare/waterfall.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analysis/table/caveats.hpp"
#include "analysis/table/column_roles.hpp"
#include "analysis/table/groups.hpp"
#include "analysis/table/usable_rows.hpp"
#include "base/text/text_table.hpp"
#include "base/transport.hpp"
#include "base/units.hpp"

namespace ringmark::analysis {
namespace {

struct AtLargest {
  double GBps = 0;
  double size = 0;
  std::vector<Caveat> caveats;
};

/// The median over rows of a rate, at the largest size: at smaller sizes, bursts that fit into buffers may exceed the
/// link's sustained rate.
AtLargest at_largest(const Table& table, const std::vector<std::size_t>& rows, const std::string& rate) {
  std::map<double, std::vector<std::size_t>> by_size;
  for (const auto row : rows) {
    if (table.figure(row, rate)) by_size[table.number("size_bytes")[row]].push_back(row);
  }
  if (by_size.empty()) return {};
  const auto& [size, largest] = *by_size.rbegin();
  std::vector<double> rates;
  for (const auto row : largest) rates.push_back(*table.figure(row, rate));
  return {median(std::move(rates)), size, caveats_of(table, largest)};
}

/// The rate of the best setting at the largest size: what other settings lose is not due to the transport.
AtLargest best_at_largest_size(const Table& table, const std::vector<std::size_t>& rows, const std::string& rate) {
  const Groups groups(table, rows, setting_columns(table));
  AtLargest best;
  for (const auto& group : groups.groups()) {
    auto one = at_largest(table, group.rows, rate);
    if (std::tie(one.size, one.GBps) > std::tie(best.size, best.GBps)) best = std::move(one);
  }
  return best;
}

/// A level whose percentages are filled in later.
Level level_of(std::string name, const AtLargest& measured) {
  auto where = "at " + format_size(static_cast<std::size_t>(measured.size));
  if (forbid_decision(measured.caveats)) where += "; in doubt: " + in_words(measured.caveats);
  return {std::move(name), measured.GBps, std::move(where), 100, 0};
}

/// Sorts our schedules before the libraries over the same network.
int depth(const std::string& transport) {
  const auto known = parse_transport(transport);
  return known && has_own_schedules(*known) ? 0 : 1;
}

std::vector<Waterfall> waterfalls_of_one_network(const Table& table, const std::vector<std::size_t>& rows,
                                                 std::optional<double> link_GBps) {
  std::vector<Level> common;
  if (link_GBps) common.push_back({"link rate", *link_GBps, "given", 100, 0});
  const auto links = at_largest(table, link_rows(table, rows, LinkTest::bandwidth), "algbw_GBps");
  if (links.GBps > 0) {
    common.push_back(level_of("point to point", links));
  }
  if (common.empty()) return {};
  // case → depth and transport → rows
  std::map<std::string, std::map<std::pair<int, std::string>, std::vector<std::size_t>>> cases;
  for (const auto row : rows) {
    if (table.is(Schema::link, row) || !table.figure(row, "busbw_GBps")) continue;
    const auto& transport = table.text("transport")[row];
    cases[case_of(table, row)][{depth(transport), transport}].push_back(row);
  }
  std::vector<Waterfall> result;
  for (const auto& [case_name, transports] : cases) {
    auto levels = common;
    for (const auto& [key, some] : transports) {
      const auto best = best_at_largest_size(table, some, "busbw_GBps");
      if (best.GBps <= 0) continue;
      levels.push_back(level_of(key.second, best));
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      levels[i].of_first_percent = 100 * levels[i].GBps / levels[0].GBps;
      // All transports are compared with the last common level, and not with each other.
      const double above = i == 0 ? levels[0].GBps : i < common.size() ? levels[i - 1].GBps : common.back().GBps;
      levels[i].lost_percent = 100 * (1 - levels[i].GBps / above);
    }
    if (levels.size() > common.size()) result.push_back({case_name, std::move(levels)});
  }
  return result;
}

}  // namespace

std::optional<double> point_to_point_GBps(const Table& table, const std::vector<std::size_t>& rows) {
  if (networks_in(table, rows).size() > 1) return std::nullopt;  // each has a limit of its own
  const auto best = at_largest(table, link_rows(table, rows, LinkTest::bandwidth), "algbw_GBps");
  return best.GBps > 0 ? std::optional(best.GBps) : std::nullopt;
}

std::vector<Waterfall> waterfalls(const Table& table, const std::vector<std::size_t>& rows,
                                  std::optional<double> link_GBps) {
  const auto networks = networks_in(table, rows);
  if (networks.size() < 2) return waterfalls_of_one_network(table, rows, link_GBps);
  std::vector<Waterfall> all;
  for (const auto& network : networks) {
    std::vector<std::size_t> some;
    for (const auto row : rows) {
      if (table.text("network")[row] == network) some.push_back(row);
    }
    for (auto& waterfall : waterfalls_of_one_network(table, some, link_GBps)) {
      waterfall.case_name += " over " + network;
      all.push_back(std::move(waterfall));
    }
  }
  return all;
}

std::string print(const std::vector<Waterfall>& waterfalls) {
  std::string text;
  for (const auto& [case_name, levels] : waterfalls) {
    std::vector<std::vector<std::string>> lines{{case_name, ">GB/s", ">of the first", ">lost here", ""}};
    for (const auto& level : levels) {
      lines.push_back({level.name, short_number(level.GBps), fmt::format("{:.1f} %", level.of_first_percent),
                       fmt::format("{:.1f} %", level.lost_percent), level.where});
    }
    text += "\n" + print_table(std::move(lines));
  }
  return text;
}

}  // namespace ringmark::analysis

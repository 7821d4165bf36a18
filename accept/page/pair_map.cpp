#include "accept/page/pair_map.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

using Json = nlohmann::ordered_json;
using GroupOf = std::function<std::size_t(std::size_t end)>;

double rounded(double GBps) { return std::round(GBps * 1e6) / 1e6; }

/// By the index of each pair of the map.
std::vector<bool> blamed_pairs(const PairMap& map, const std::vector<Finding>& findings) {
  std::vector<bool> is_blamed(map.rates.size());
  if (findings.empty()) return is_blamed;
  for (const auto& part : parts_of(map.fabric, map.rates)) {
    const auto is_it = [&part](const Finding& finding) { return finding.part == part.name; };
    if (std::none_of(findings.begin(), findings.end(), is_it)) continue;
    for (const auto pair : part.pairs) is_blamed[pair] = true;
  }
  return is_blamed;
}

/// The pairs between two groups of ends.
struct Between {
  std::vector<double> rates;
  const PairRate* slowest = nullptr;
  bool is_blamed = false;  ///< at least one of them
};

Json between_groups(const PairMap& map, const std::vector<bool>& is_blamed, const GroupOf& group_of,
                    std::size_t groups) {
  std::vector<Between> cells(groups * groups);
  for (std::size_t i = 0; i < map.rates.size(); ++i) {
    const auto& pair = map.rates[i];
    auto& cell = cells[group_of(pair.from) * groups + group_of(pair.to)];
    cell.rates.push_back(pair.GBps);
    if (cell.slowest == nullptr || pair.GBps < cell.slowest->GBps) cell.slowest = &pair;
    cell.is_blamed = cell.is_blamed || is_blamed[i];
  }
  auto rows = Json::array();
  for (std::size_t from = 0; from < groups; ++from) {
    auto row = Json::array();
    for (std::size_t to = 0; to < groups; ++to) {
      auto& cell = cells[from * groups + to];
      if (cell.slowest == nullptr) {
        row.push_back(nullptr);
        continue;
      }
      row.push_back({{"median", rounded(median(std::move(cell.rates)))},
                     {"slowest", rounded(cell.slowest->GBps)},
                     {"from", cell.slowest->from},
                     {"to", cell.slowest->to},
                     {"is_blamed", cell.is_blamed}});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The ends, group by group.
Json arranged(const char* by, std::size_t ends, const std::vector<std::string>& names, const GroupOf& group_of) {
  std::vector<std::size_t> order(ends), sizes(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return group_of(a) < group_of(b); });
  for (std::size_t end = 0; end < ends; ++end) ++sizes[group_of(end)];
  auto groups = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    groups.push_back({{"name", names[i]}, {"count", sizes[i]}});
  }
  return {{"by", by}, {"order", order}, {"groups", std::move(groups)}};
}

}  // namespace

Json pair_map_json(const PairMap& map, const std::vector<Finding>& findings) {
  const auto& fabric = map.fabric;
  const auto ends = fabric.hosts.size() * fabric.rails;
  const auto is_blamed = blamed_pairs(map, findings);
  auto names = Json::array(), pairs = Json::array(), marked = Json::array(), orders = Json::array(),
       between = Json::array();
  for (std::size_t end = 0; end < ends; ++end) names.push_back(fabric.name_of(end));
  for (std::size_t i = 0; i < map.rates.size(); ++i) {
    const auto& [from, to, GBps] = map.rates[i];
    pairs.push_back({from, to, rounded(GBps)});
    if (is_blamed[i]) marked.push_back({from, to});
  }
  const auto add = [&](const char* by, std::vector<std::string> groups, const GroupOf& group_of) {
    orders.push_back(arranged(by, ends, groups, group_of));
    auto rates = between_groups(map, is_blamed, group_of, groups.size());
    between.push_back({{"by", by}, {"names", std::move(groups)}, {"rates", std::move(rates)}});
  };
  if (fabric.leaves.size() > 1) {
    std::vector<std::string> leaves;
    for (const auto& leaf : fabric.leaves) leaves.push_back(leaf.name);
    std::vector<std::size_t> leaf_of(ends);
    for (std::size_t end = 0; end < ends; ++end) leaf_of[end] = fabric.leaf_of_end(end).value_or(leaves.size());
    // Some hosts may not be in any leaf.
    if (std::count(leaf_of.begin(), leaf_of.end(), leaves.size()) > 0) leaves.emplace_back("no leaf");
    add("leaf", std::move(leaves), [&leaf_of](std::size_t end) { return leaf_of[end]; });
  }
  orders.push_back(arranged("host", ends, {""}, [](std::size_t) { return 0; }));
  if (fabric.rails > 1) {
    std::vector<std::string> rails;
    for (std::size_t rail = 0; rail < fabric.rails; ++rail) rails.push_back(fmt::format("rail {}", rail + 1));
    add("rail", std::move(rails), [&fabric](std::size_t end) { return fabric.rail_of(end); });
  }
  return {{"names", std::move(names)},
          {"pairs", std::move(pairs)},
          {"marked", std::move(marked)},
          {"orders", std::move(orders)},
          {"between", std::move(between)}};
}

}  // namespace ringmark::accept

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analysis/stragglers/stragglers.hpp"
#include "analysis/table/groups.hpp"
#include "analysis/table/usable_rows.hpp"
#include "results/statistics/rank_test.hpp"
#include "results/statistics/slow_ends.hpp"

namespace ringmark::analysis {
namespace {

struct Pair {
  std::size_t from, to;
};

/// Medians over launches of each pair that was measured.
std::vector<std::pair<Pair, double>> medians_of(const std::vector<LinkMatrix>& launches) {
  std::vector<std::pair<Pair, double>> pairs;
  const std::size_t hosts = launches.front().size();
  for (std::size_t from = 0; from < hosts; ++from) {
    for (std::size_t to = 0; to < hosts; ++to) {
      std::vector<double> values;
      for (const auto& matrix : launches) {
        if (!std::isnan(matrix[from][to])) values.push_back(matrix[from][to]);
      }
      if (!values.empty()) pairs.push_back({{from, to}, median(std::move(values))});
    }
  }
  return pairs;
}

double percent_longer(double ratio) { return 100 * (ratio - 1); }

}  // namespace

std::vector<Straggler> slow_links(const std::vector<LinkMatrix>& launches, const std::vector<std::string>& names,
                                  const StragglerOptions& options) {
  if (launches.empty() || names.size() < 3) return {};
  const auto pairs = medians_of(launches);
  std::vector<Straggler> found;
  std::set<std::size_t> slow_hosts;
  // Uses all launches: with three hosts, a single matrix is too small.
  std::vector<LinkTime> links;
  for (const auto& matrix : launches) {
    for (std::size_t from = 0; from < names.size(); ++from) {
      for (std::size_t to = 0; to < names.size(); ++to) {
        if (!std::isnan(matrix[from][to])) links.push_back({from, to, 1 / matrix[from][to]});
      }
    }
  }
  const SlowEndLimits limits{.level = options.level, .least_ratio = 1 + options.least_cost_percent / 100};
  for (const auto& slow : slow_ends(links, names.size(), limits)) {
    slow_hosts.insert(slow.end);
    found.push_back({Straggler::Kind::host,
                     names[slow.end],
                     percent_longer(slow.ratio),
                     slow.p,
                     fmt::format("its links reach {:.0f} % of the bandwidth of the others' links", 100 / slow.ratio),
                     {slow.end}});
  }
  // A single slow link: the slowest between good hosts in every launch.
  std::vector<double> good;
  const std::pair<Pair, double>* slowest = nullptr;
  for (const auto& pair : pairs) {
    if (slow_hosts.contains(pair.first.from) || slow_hosts.contains(pair.first.to)) continue;
    good.push_back(pair.second);
    if (slowest == nullptr || pair.second < slowest->second) slowest = &pair;
  }
  if (slowest == nullptr || good.size() < 3) return found;
  const double ratio = median(good) / slowest->second;
  const auto is_slowest = [&](const LinkMatrix& matrix) {
    const double value = matrix[slowest->first.from][slowest->first.to];
    for (const auto& pair : pairs) {
      const bool is_other_good = !slow_hosts.contains(pair.first.from) && !slow_hosts.contains(pair.first.to);
      if (is_other_good && matrix[pair.first.from][pair.first.to] < value) return false;
    }
    return !std::isnan(value);
  };
  const auto times = std::count_if(launches.begin(), launches.end(), is_slowest);
  // One launch selects the link; the other launches confirm it or not.
  const double p = std::pow(static_cast<double>(good.size()), 1 - static_cast<double>(times));
  if (times == static_cast<std::ptrdiff_t>(launches.size()) && p < options.level &&
      percent_longer(ratio) >= options.least_cost_percent) {
    found.push_back({Straggler::Kind::link,
                     fmt::format("link {} -> {}", names[slowest->first.from], names[slowest->first.to]),
                     percent_longer(ratio),
                     p,
                     fmt::format("the slowest in each of {} launches, at 1/{:.2f} of the median link", times, ratio),
                     {slowest->first.from, slowest->first.to}});
  }
  return found;
}

std::string too_few_to_tell(const Links& links, const StragglerOptions& options) {
  const auto hosts = links.names.size(), launches = links.launches.size();
  if (launches == 0) return "";
  if (hosts < 3) return "naming a slow host takes at least three hosts: with two, the link belongs to both";
  std::vector<std::size_t> with(hosts), without(hosts);  // measured links, by host
  for (const auto& matrix : links.launches) {
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        if (std::isnan(matrix[from][to])) continue;
        for (std::size_t host = 0; host < hosts; ++host) ++(host == from || host == to ? with : without)[host];
      }
    }
  }
  // The smallest possible p with `times` as many launches.
  const auto p_of = [&](std::size_t times) {
    double least = 1;
    for (std::size_t host = 0; host < hosts; ++host) {
      if (with[host] > 0 && without[host] > 0)
        least = std::min(least, least_mann_whitney_p(times * with[host], times * without[host]));
    }
    return static_cast<double>(hosts) * least;
  };
  if (p_of(1) < options.level) return "";
  constexpr std::size_t most_times = 20;
  std::size_t times = 2;
  while (times < most_times && p_of(times) >= options.level) ++times;
  return fmt::format("{} link matri{} of {} hosts {} too few to name a slow host: give {}", launches,
                     launches == 1 ? "x" : "ces", hosts, launches == 1 ? "is" : "are", times * launches);
}

Links links_of(const Table& table, const std::vector<std::size_t>& rows, LinkTest test) {
  Links links;
  links.test = test;
  auto some = link_rows(table, rows, test);
  if (some.empty()) return links;
  const auto& sizes = table.number("size_bytes");
  const auto [smallest, largest] =
      std::minmax_element(some.begin(), some.end(), [&](auto a, auto b) { return sizes[a] < sizes[b]; });
  const double size = sizes[test == LinkTest::latency ? *smallest : *largest];
  std::erase_if(some, [&](std::size_t row) { return sizes[row] != size; });
  links.size_bytes = static_cast<std::uint64_t>(size);
  std::set<std::string, decltype(&reads_before)> ends(&reads_before);
  std::map<std::string, std::set<std::string>> hosts;  // of each rank, over all launches
  for (const auto row : some) {
    for (const std::string side : {"src", "dst"}) {
      const auto& end = table.cell(row, side);
      ends.insert(end);
      if (const auto column = side + "_host"; table.has(column)) hosts[end].insert(table.cell(row, column));
    }
  }
  for (const auto& end : ends) {
    // A rank that ran on several hosts is named without a host.
    const auto& of_end = hosts[end];
    links.names.push_back("rank " + end +
                          (of_end.size() == 1 && !of_end.begin()->empty() ? " on " + *of_end.begin() : ""));
  }
  const auto index = [&](const std::string& end) {
    return static_cast<std::size_t>(std::distance(ends.begin(), ends.find(end)));
  };
  std::map<std::string, LinkMatrix> by_launch;
  for (const auto row : some) {
    const auto value = table.figure(row, test == LinkTest::latency ? "time_us_p50" : "algbw_GBps");
    if (!value) continue;
    auto& matrix = by_launch[table.text("run_id")[row]];
    if (matrix.empty()) {
      matrix.assign(links.names.size(),
                    std::vector<double>(links.names.size(), std::numeric_limits<double>::quiet_NaN()));
    }
    matrix[index(table.cell(row, "src"))][index(table.cell(row, "dst"))] = *value;
  }
  for (auto& [run_id, matrix] : by_launch) links.launches.push_back(std::move(matrix));
  return links;
}

}  // namespace ringmark::analysis

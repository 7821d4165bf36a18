#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "accept/stages/series.hpp"
#include "accept/stages/stages.hpp"
#include "base/text/with_count.hpp"
#include "base/units.hpp"

namespace ringmark::accept {
namespace {

bool has_rates(const sweep::LaunchRows& launch, StageResult& result) {
  for (const auto& row : launch.rows) {
    if (!is_as_asked(row, "the all_reduce", result)) return false;
  }
  const auto has_rate = [](const Record& row) { return row.busbw_GBps.has_value(); };
  if (!launch.rows.empty() && std::all_of(launch.rows.begin(), launch.rows.end(), has_rate)) return true;
  result.summary = with_words_of("the all_reduce reported no bus bandwidth", launch);
  return false;
}

/// " by ring"; empty if the algorithm is unknown.
std::string by_algorithm(const std::string& algorithm) { return algorithm.empty() ? "" : " by " + algorithm; }

/// Why the rates cannot be compared: the launches ran different algorithms, or one other than `expected`. Empty if they
/// can.
std::string why_not_alike(const std::map<std::string, std::size_t>& launches_by, const std::string& expected) {
  const bool is_other = !expected.empty() && !launches_by.contains("") && !launches_by.contains(expected);
  if (launches_by.size() < 2 && !is_other) return "";
  std::vector<std::string> words;
  for (const auto& [algorithm, launches] : launches_by)
    words.push_back(fmt::format("{} in {}", algorithm, with_count(launches, "run")));
  return fmt::format("ran {}{}: choose one with arguments: {{all_reduce: {{algorithm: {}}}}}", fmt::join(words, ", "),
                     is_other ? fmt::format(", but the expectation is for {}", expected) : "",
                     is_other ? expected : launches_by.begin()->first);
}

/// Leaves with the same number of ranks, which are compared with each other.
struct Alike {
  std::vector<std::size_t> groups;  ///< by their index among the groups
  Series series;
  std::map<std::string, std::size_t> runs_by{};  ///< by algorithm
};

std::vector<Alike> alike_groups(const Site& site, const std::vector<LeafGroup>& groups) {
  std::map<std::size_t, std::vector<std::size_t>> by_ranks;
  for (std::size_t i = 0; i < groups.size(); ++i) by_ranks[groups[i].ranks.size()].push_back(i);
  std::vector<Alike> all;
  for (const auto& [ranks, alike] : by_ranks) {
    std::vector<std::string> names;
    for (const auto i : alike) names.push_back(site.criteria.fabric.leaves[groups[i].leaf].name);
    all.push_back({alike, Series(std::move(names), std::nullopt)});
  }
  return all;
}

}  // namespace

StageResult run_leaves(Site& site) {
  StageResult result{Stage::leaves, Outcome::undecided};
  site.cluster.measure_on(site.hosts);
  const auto groups = leaf_groups(site.criteria, site.hosts);
  const auto measurement = leaves_measurement(site.criteria, site.hosts);
  auto all = alike_groups(site, groups);
  auto rates_of_error = site.rates();
  rates_of_error.false_alarm /= static_cast<double>(std::max<std::size_t>(all.size(), 1));
  while (result.rounds < most_rounds) {
    const auto name = launch_name("leaves", result.rounds + 1);
    const auto launch = site.launch(name, measurement);
    if (!launch.failure.empty()) return failed(site, result, launch, name, measurement.ranks_per_host);
    if (!has_rates(launch, result)) return result;
    // A row for each group, in order, then one for all of them.
    if (launch.rows.size() <= groups.size()) return result.summary = "some leaves have no row", result;
    ++result.rounds;
    bool is_decided = true;
    for (auto& [places, series, runs_by] : all) {
      std::vector<double> rates;
      for (const auto place : places) {
        rates.push_back(*launch.rows[place].busbw_GBps);
        ++runs_by[launch.rows[place].algorithm_used];
      }
      series.add(rates);
      is_decided = series.judge(rates_of_error) && is_decided;
    }
    if (is_decided || (site.is_over() && result.rounds >= fewest_rounds)) break;
  }
  std::string rates;
  for (const auto& [places, series, runs_by] : all) {
    if (const auto why = why_not_alike(runs_by, ""); !why.empty()) {
      result.undecided.push_back(
          fmt::format("leaves of {} {}", with_count(groups[places.front()].ranks.size(), "rank"), why));
      continue;
    }
    for (const auto& [subject, ratio] : series.slow()) {
      const auto& leaf = site.criteria.fabric.leaves[groups[places[subject]].leaf].name;
      result.findings.push_back({leaf,
                                 {},
                                 fmt::format("{:.0f} % of {:.4g} GB/s, the bus bandwidth within leaves of {} ranks",
                                             100 * ratio, series.expected(), groups[places.front()].ranks.size()),
                                 "the leaf switch itself: its load, buffers and software"});
    }
    result.undecided.insert(result.undecided.end(), series.undecided().begin(), series.undecided().end());
    rates += fmt::format("{}{:.4g} GB/s of {}", rates.empty() ? "" : ", ", series.expected(),
                         with_count(groups[places.front()].ranks.size(), "rank"));
  }
  result.outcome = result.by_findings();
  result.summary = fmt::format("concurrent all_reduce of {} within {}: {}", format_size(site.criteria.size_bytes),
                               with_count(groups.size(), "group"), rates);
  return result;
}

StageResult run_together(Site& site) {
  StageResult result{Stage::together, Outcome::undecided};
  site.cluster.measure_on(site.hosts);
  const auto measurement = together_measurement(site.criteria);
  const auto& expected = site.criteria.busbw_GBps;
  Series series({"all hosts together"}, expected);
  std::map<std::string, std::size_t> launches_by;  // algorithm
  std::string algorithm = site.criteria.busbw_algorithm;
  for (std::size_t number = 1; number <= most_rounds; ++number) {
    const auto name = launch_name("together", number);
    const auto launch = site.launch(name, measurement);
    if (!launch.failure.empty()) return failed(site, result, launch, name, measurement.ranks_per_host);
    if (!has_rates(launch, result)) return result;
    const auto& row = launch.rows.front();
    ++launches_by[row.algorithm_used];
    if (algorithm.empty()) algorithm = row.algorithm_used;
    if (row.algorithm_used.empty() || row.algorithm_used == algorithm) series.add({*row.busbw_GBps});
    result.rounds = number;
    if (number < fewest_rounds) continue;
    if (!expected || series.judge(site.rates()) || site.is_over() || series.rounds() == 0) break;
  }
  result.summary = fmt::format("all_reduce of {} over {}", format_size(site.criteria.size_bytes),
                               with_count(site.hosts.size() * measurement.ranks_per_host, "rank"));
  if (series.rounds() > 0)
    result.summary += fmt::format("{}: bus bandwidth {:.4g} GB/s", by_algorithm(algorithm), series.median_rate(0));
  const auto why = why_not_alike(launches_by, site.criteria.busbw_algorithm);
  if (!expected) {
    result.outcome = Outcome::pass;
    result.remarks.push_back("bus bandwidth is reported but not judged: the criteria have no expect: {busbw_GBps: …}");
    if (!why.empty()) result.remarks.push_back("the all_reduces " + why);
    return result;
  }
  result.outcome = series.outcome();
  result.undecided = series.undecided();
  if (!why.empty()) {
    if (result.outcome == Outcome::pass) result.outcome = Outcome::undecided;
    result.undecided.push_back("the all_reduces " + why);
  }
  const bool has_links =
      std::find(site.criteria.stages.begin(), site.criteria.stages.end(), Stage::links) != site.criteria.stages.end();
  result.summary += fmt::format(", expected {:.4g}", *expected);
  for (const auto& slow : series.slow())
    result.findings.push_back({"all hosts together",
                               {},
                               fmt::format("{:.0f} % of the expectation{}{}", 100 * slow.ratio, by_algorithm(algorithm),
                                           has_links ? ", while no link is slow" : ""),
                               "what they all share: uplinks under load, the algorithm, and the library's settings"});
  return result;
}

}  // namespace ringmark::accept

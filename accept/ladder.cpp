#include "accept/ladder.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/differences.hpp"
#include "base/system/deadline.hpp"
#include "base/units.hpp"
#include "results/statistics.hpp"

namespace ringmark::accept {
namespace {

/// Where a budget of time allows more, the scatter is such that further rounds would decide nothing.
constexpr std::size_t most_rounds = 40;

std::string percent(double ratio) { return fmt::format("{:.0f} %", 100 * ratio); }

std::string with_count(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

Round round_of(const std::vector<Record>& rows, const std::vector<std::size_t>& hosts) {
  Round round;
  for (const auto& row : rows) {
    if (!row.link || row.status != Status::ok || !row.time_us_min || *row.time_us_min <= 0) continue;
    // Load makes some samples slow, a slow link makes all of them slow: the fastest is the link's.
    constexpr double bytes_per_us_per_GBps = 1e3;
    round.push_back({hosts[static_cast<std::size_t>(row.link->source)],
                     hosts[static_cast<std::size_t>(row.link->destination)],
                     static_cast<double>(row.size_bytes) / *row.time_us_min / bytes_per_us_per_GBps});
  }
  std::sort(round.begin(), round.end(),
            [](const auto& a, const auto& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return round;
}

bool have_same_pairs(const Round& a, const Round& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.from == y.from && x.to == y.to; });
}

class Climb {
 public:
  Climb(const Criteria& criteria, Cluster& cluster)
      : criteria_(criteria), cluster_(cluster), end_(Deadline::after(criteria.budget)) {
    hosts_.resize(criteria.fabric.hosts.size());
    std::iota(hosts_.begin(), hosts_.end(), std::size_t{0});
  }

  RungResult nodes() {
    RungResult result{Rung::nodes, Outcome::pass, {}, {}, {}, {}};
    const auto [facts, why_not] = cluster_.visit();
    if (facts.empty())
      throw std::runtime_error("no process can be started on any of the hosts: " + why_not.begin()->second);
    for (const auto& [host, why] : why_not) {
      std::erase(hosts_, host);
      blame(result, host, "does not answer: " + why);
    }
    for (const auto& each : differences(facts)) {
      const auto text = fmt::format("{} is {}; most hosts have {}", each.fact, each.value, each.usual);
      if (each.matters) {
        blame(result, each.host, text);
      } else {
        result.remarks.push_back(fmt::format("{}: {}", host_name(each.host), text));
      }
    }
    result.summary = fmt::format("{} of {} hosts answer", facts.size(), criteria_.fabric.hosts.size());
    if (!result.remarks.empty())
      result.summary +=
          fmt::format(", with {} that should not matter", with_count(result.remarks.size(), "difference"));
    return result;
  }

  RungResult links() {
    RungResult result{Rung::links, Outcome::undecided, {}, {}, {}, {}};
    if (hosts_.size() < 2) return result.summary = "too few hosts are left", result;
    cluster_.measure_on(hosts_);
    std::vector<Round> rounds;
    Verdict verdict;
    std::string why_no_more = fmt::format("after {} rounds", most_rounds);
    while (rounds.size() < most_rounds) {
      const auto name = fmt::format("links-{:03}", rounds.size() + 1);
      const auto launch = cluster_.launch(name, links_measurement(criteria_));
      if (!launch.failure.empty()) return failed(result, launch, name);
      auto round = round_of(launch.rows, hosts_);
      if (!rounds.empty() && !have_same_pairs(rounds.front(), round)) {
        result.summary = "rounds measured different pairs; remove the folder and begin anew";
        return result;
      }
      rounds.push_back(std::move(round));
      verdict = judge(criteria_.fabric, rounds, criteria_.rates, criteria_.link_GBps);
      if (verdict.outcome != Outcome::undecided && verdict.undecided.empty()) break;
      if (end_.passed() && rounds.size() >= fewest_rounds) {
        why_no_more = "at the end of the budget";
        break;
      }
    }
    result.outcome = verdict.outcome;
    result.rounds = rounds.size();
    result.undecided = verdict.undecided;
    for (const auto& [part, ratio] : verdict.culprits) take(result, part, ratio, verdict.expected_GBps);
    result.summary = fmt::format("{} of {:.4g} GB/s, {}, each within {:.2g} % of its median",
                                 with_count(rounds.front().size(), "link"), verdict.expected_GBps,
                                 with_count(rounds.size(), "round"), 100 * verdict.scatter);
    if (!verdict.undecided.empty())
      result.summary += fmt::format("; {} undecided {}", verdict.undecided.size(), why_no_more);
    return result;
  }

  RungResult together() {
    RungResult result{Rung::together, Outcome::undecided, {}, {}, {}, {}};
    cluster_.measure_on(hosts_);
    // The operation is judged like a single link.
    const Fabric all{{"all hosts", "all hosts"}, {}};
    std::vector<Round> rounds;
    Verdict verdict;
    while (rounds.size() < most_rounds) {
      const auto name = fmt::format("together-{:03}", rounds.size() + 1);
      const auto launch = cluster_.launch(name, together_measurement(criteria_));
      if (!launch.failure.empty()) return failed(result, launch, name);
      if (launch.rows.empty() || !launch.rows.front().busbw_GBps)
        return result.summary = "the all_reduce gave no bus bandwidth", result;
      rounds.push_back({{0, 1, *launch.rows.front().busbw_GBps}});
      result.rounds = rounds.size();
      if (rounds.size() < fewest_rounds) continue;
      if (!criteria_.busbw_GBps) break;
      verdict = judge(all, rounds, criteria_.rates, criteria_.busbw_GBps);
      if (verdict.outcome != Outcome::undecided || end_.passed()) break;
    }
    std::vector<double> rates_GBps;
    for (const auto& round : rounds) rates_GBps.push_back(round.front().GBps);
    result.summary =
        fmt::format("all_reduce of {} over {}: bus bandwidth {:.4g} GB/s", format_size(criteria_.size_bytes),
                    with_count(hosts_.size(), "host"), median(std::move(rates_GBps)));
    if (!criteria_.busbw_GBps) {
      result.outcome = Outcome::pass;
      result.remarks.push_back("the bus bandwidth is only told: the criteria have no expect: {busbw_GBps: …}");
      return result;
    }
    result.outcome = verdict.outcome;
    result.summary += fmt::format(", expected {:.4g}", *criteria_.busbw_GBps);
    for (const auto& [part, ratio] : verdict.culprits) {
      result.findings.push_back({"all hosts together",
                                 {},
                                 fmt::format("{} of the expectation, while no link is slow: "
                                             "look at what they share",
                                             percent(ratio))});
    }
    return result;
  }

 private:
  const std::string& host_name(std::size_t host) const { return criteria_.fabric.hosts[host]; }

  void blame(RungResult& result, std::size_t host, std::string evidence) const {
    result.outcome = Outcome::fail;
    result.findings.push_back({host_name(host), {host_name(host)}, std::move(evidence)});
  }

  void take(RungResult& result, const Part& part, double ratio, double expected_GBps) const {
    Finding finding{part.name, {}, fmt::format("{} of {:.4g} GB/s", percent(ratio), expected_GBps)};
    if (part.pairs.size() > 1)
      finding.evidence += fmt::format(", as the median of {}", with_count(part.pairs.size(), "link"));
    // A link alone convicts neither of its ends.
    if (part.hosts.size() == 1) finding.hosts = {host_name(part.hosts.front())};
    result.findings.push_back(std::move(finding));
  }

  RungResult failed(RungResult& result, const sweep::LaunchRows& launch, const std::string& name) const {
    result.outcome = Outcome::fail;
    result.summary = "a launch failed";
    Finding finding{"the launch", {}, fmt::format("{}; see {}/{}.log", launch.failure, cluster_.folder(), name)};
    if (launch.lost_rank && static_cast<std::size_t>(launch.lost_rank->rank) < hosts_.size()) {
      finding.part = host_name(hosts_[static_cast<std::size_t>(launch.lost_rank->rank)]);
      finding.hosts = {finding.part};
    }
    result.findings.push_back(std::move(finding));
    return result;
  }

  const Criteria& criteria_;
  Cluster& cluster_;
  Deadline end_;
  std::vector<std::size_t> hosts_;  ///< that answer
};

}  // namespace

LadderResult climb(const Criteria& criteria, Cluster& cluster, const std::function<void(const RungResult&)>& tell) {
  Climb ladder(criteria, cluster);
  LadderResult result{Outcome::pass, {}, {}};
  for (const auto rung : criteria.rungs) {
    // Hosts that do not answer are left out of the links, so that the others are judged all the same.
    const bool goes_on =
        result.outcome == Outcome::pass || (rung == Rung::links && result.rungs.back().rung == Rung::nodes);
    if (!goes_on) {
      result.left_out.push_back(rung);
      continue;
    }
    result.rungs.push_back(rung == Rung::nodes   ? ladder.nodes()
                           : rung == Rung::links ? ladder.links()
                                                 : ladder.together());
    const auto& last = result.rungs.back();
    tell(last);
    if (result.outcome != Outcome::fail && last.outcome != Outcome::pass) result.outcome = last.outcome;
  }
  return result;
}

}  // namespace ringmark::accept

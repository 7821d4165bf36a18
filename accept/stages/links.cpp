#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "accept/judge/advice.hpp"
#include "accept/judge/signs.hpp"
#include "accept/stages/stages.hpp"
#include "base/text/with_count.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::accept {
namespace {

bool have_same_pairs(const Scan& a, const Scan& b) {
  return std::equal(a.pairs.begin(), a.pairs.end(), b.pairs.begin(), b.pairs.end(),
                    [](const auto& x, const auto& y) { return x.from == y.from && x.to == y.to; });
}

/// Why the rates cannot be used; empty if they are the network's.
std::string why_no_figures(const Scan& scan) {
  const auto any = [&scan](const auto& is_so) { return std::any_of(scan.pairs.begin(), scan.pairs.end(), is_so); };
  if (any([](const PairSigns& pair) { return pair.worst == Status::bypassed; }))
    return "bytes bypass the network, so the rates are not the network's";
  if (!any([](const PairSigns& pair) { return pair.GBps > 0; })) return "no data passes between any two hosts";
  return "";
}

PairMap map_of(const Fabric& fabric, const std::vector<Scan>& scans) {
  PairMap map{fabric, {}};
  for (std::size_t i = 0; i < scans.front().pairs.size(); ++i) {
    std::vector<double> rates;
    for (const auto& scan : scans) rates.push_back(scan.pairs[i].GBps);
    map.rates.push_back({scans.front().pairs[i].from, scans.front().pairs[i].to, median(std::move(rates))});
  }
  return map;
}

/// Scans of pairs, of hosts or of NICs.
class Scans {
 public:
  Scans(Site& site, Stage stage) : site_(site), result_{stage, Outcome::undecided}, fabric_(site.criteria.fabric) {
    if (stage == Stage::links) fabric_.rails = 1;
  }

  StageResult run() {
    if (site_.hosts.size() < 2) {
      result_.summary = "too few hosts remain";
      tell_lost();
      return result_;
    }
    begin();
    const auto measurement = result_.stage == Stage::links ? links_measurement(site_.criteria, site_.hosts)
                                                           : rails_measurement(site_.criteria, site_.hosts);
    bool takes_load = result_.stage == Stage::links && !fabric_.leaves.empty();
    ScansVerdict verdict;
    std::string why_no_more = fmt::format("after {} rounds", most_rounds);
    while (scans_.size() < most_rounds) {
      const auto name = launch_name(accept::name(result_.stage), scans_.size() + 1);
      const auto launch = site_.launch(name, measurement);
      if (leaves_out_lost(site_, launch, name, fabric_.rails)) return run();
      if (!launch.failure.empty()) return failed(site_, result_, launch, name, fabric_.rails);
      Scan scan{signs_of(launch.rows, ends_), {}};
      if (!scans_.empty() && !have_same_pairs(scans_.front(), scan)) {
        result_.summary = "rounds measured different pairs; remove the folder and start again";
        return result_;
      }
      if (takes_load) takes_load = load(scan);
      measured_.insert(measured_.end(), scan.pairs.begin(), scan.pairs.end());
      scans_.push_back(std::move(scan));
      if (const auto why = why_no_figures(scans_.back()); !why.empty()) return without_figures(why);
      verdict = judge_scans(fabric_, scans_, site_.rates(), site_.criteria.link_GBps, site_.criteria.is_box);
      if (verdict.outcome != Outcome::undecided && verdict.undecided.empty()) break;
      if (site_.is_over() && scans_.size() >= fewest_rounds) {
        why_no_more = "at the end of the budget";
        break;
      }
    }
    return judged(verdict, why_no_more);
  }

 private:
  /// Measures on the hosts that answer, starting over from the first round.
  void begin() {
    site_.cluster.measure_on(site_.hosts);
    ends_.clear();
    scans_.clear();
    measured_.clear();
    for (const auto host : site_.hosts) {
      for (std::size_t rail = 0; rail < fabric_.rails; ++rail) ends_.push_back(host * fabric_.rails + rail);
    }
  }

  void tell_lost() {
    if (site_.lost.empty()) return;
    result_.outcome = Outcome::fail;
    for (auto& each : std::exchange(site_.lost, {})) result_.findings.push_back(std::move(each));
  }

  /// Adds the rates under load. False if they cannot be measured.
  bool load(Scan& scan) {
    const auto name = launch_name("loaded", scans_.size() + 1);
    const auto loaded = site_.launch(name, loaded_measurement(site_.criteria, site_.hosts));
    if (!loaded.failure.empty()) {
      not_measured_.push_back("links under load are not judged: " + failure_of(site_, loaded, name));
      return false;
    }
    const auto under_load = signs_of(loaded.rows, ends_);
    scan.loaded = rates_of(under_load);
    measured_.insert(measured_.end(), under_load.begin(), under_load.end());
    return true;
  }

  StageResult without_figures(const std::string& why) {
    result_.summary = why;
    result_.outcome = Outcome::fail;
    result_.rounds = scans_.size();
    tell_lost();
    tell_troubles();
    if (result_.findings.empty())
      result_.findings.push_back({"all links", {}, why, "addresses, firewalls and routes between the hosts"});
    return result_;
  }

  StageResult judged(const ScansVerdict& verdict, const std::string& why_no_more) {
    result_.outcome = verdict.outcome;
    result_.rounds = scans_.size();
    result_.undecided = verdict.undecided;
    for (const auto& each : not_measured_) leave_open(each);
    result_.pairs = map_of(fabric_, scans_);
    tell_lost();
    for (const auto& culprit : verdict.culprits) {
      const auto& part = culprit.part;
      Finding finding{part.name, {}, evidence(culprit, verdict.expected_GBps), advice(culprit)};
      // A single link does not show which of its ends is at fault.
      if (part.hosts.size() == 1) finding.hosts = {site_.host_name(part.hosts.front())};
      result_.findings.push_back(std::move(finding));
    }
    tell_troubles();
    result_.summary = fmt::format("{} of {:.4g} GB/s, {}, each within {:.2g} % of its median",
                                  with_count(scans_.front().pairs.size(), "link"), verdict.expected_GBps,
                                  with_count(scans_.size(), "round"), 100 * verdict.scatter);
    if (!verdict.undecided.empty())
      result_.summary += fmt::format("; {} undecided {}", verdict.undecided.size(), why_no_more);
    return result_;
  }

  void leave_open(const std::string& what) {
    result_.undecided.push_back(what);
    if (result_.outcome == Outcome::pass) result_.outcome = Outcome::undecided;
  }

  /// Wrong bytes, and bytes that bypass the network, are findings whatever the rate is.
  void tell_troubles() {
    for (const auto& trouble : troubles_in(measured_)) {
      const auto& [from, to] = trouble.links.front();
      auto part = fmt::format("{} to {}", fabric_.name_of(from), fabric_.name_of(to));
      const auto others = trouble.links.size() - 1;
      if (others > 0) part += fmt::format(" and {}", with_count(others, "other link"));
      auto text = fmt::format("{} {}{}", with_count(trouble.times, "time"), name(trouble.status),
                              trouble.words.empty() ? "" : ": " + trouble.words);
      if (is_failure(trouble.status)) {
        leave_open(fmt::format("{}: {}", part, text));
        continue;
      }
      if (!is_not_as_asked(trouble.status)) {
        result_.remarks.push_back(fmt::format("{}: {}", part, text));
        continue;
      }
      result_.outcome = Outcome::fail;
      Finding finding{part, {}, std::move(text), "the path named in the row's detail"};
      if (trouble.status == Status::wrong && trouble.common_host) {
        finding.part = fabric_.name_of(*trouble.common_host);
        finding.hosts = {site_.host_name(fabric_.host_of(*trouble.common_host))};
        finding.look_at = "its memory and NIC, which corrupt data";
      }
      result_.findings.push_back(std::move(finding));
    }
  }

  Site& site_;
  StageResult result_;
  Fabric fabric_;
  std::vector<std::size_t> ends_;  ///< by rank
  std::vector<Scan> scans_;
  std::vector<PairSigns> measured_;
  std::vector<std::string> not_measured_;
};

}  // namespace

StageResult run_links(Site& site) { return Scans(site, Stage::links).run(); }
StageResult run_rails(Site& site) { return Scans(site, Stage::rails).run(); }

}  // namespace ringmark::accept

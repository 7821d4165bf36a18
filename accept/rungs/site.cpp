#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "accept/rungs/rungs.hpp"
#include "sweeps/process_group.hpp"

namespace ringmark::accept {
namespace {

bool compares(Rung rung, const Criteria& criteria) {
  return rung != Rung::nodes && (rung != Rung::together || criteria.busbw_GBps);
}

/// What the nodes' rung finds now among the hosts that had passed it.
std::vector<Finding> changed_hosts(Site& site) {
  const auto& rungs = site.criteria.rungs;
  if (std::find(rungs.begin(), rungs.end(), Rung::nodes) == rungs.end()) return {};
  std::vector<std::string> measured;
  for (const auto host : site.hosts) measured.push_back(site.host_name(host));
  try {
    auto findings = climb_nodes(site).findings;
    std::erase_if(findings, [&measured](const Finding& each) {
      return std::find(measured.begin(), measured.end(), each.part) == measured.end();
    });
    return findings;
  } catch (const sweep::Interrupted&) {
    throw;
  } catch (const std::runtime_error&) {
    return {};  // no host answers, which says nothing of any of them
  }
}

}  // namespace

Site::Site(const Criteria& the_criteria, Cluster& the_cluster)
    : criteria(the_criteria), cluster(the_cluster), end(Deadline::after(the_criteria.budget)) {
  hosts.resize(criteria.fabric.hosts.size());
  std::iota(hosts.begin(), hosts.end(), std::size_t{0});
}

ErrorRates Site::rates() const {
  auto rates = criteria.rates;
  const auto rungs =
      std::count_if(criteria.rungs.begin(), criteria.rungs.end(), [&](Rung rung) { return compares(rung, criteria); });
  rates.false_alarm /= static_cast<double>(std::max<std::ptrdiff_t>(rungs, 1));
  return rates;
}

std::string launch_name(std::string_view rung, std::size_t number) { return fmt::format("{}-{:03}", rung, number); }

std::string with_words_of(std::string summary, const sweep::LaunchRows& launch) {
  const auto words = launch.rows.empty() ? "" : launch.rows.front().detail.text();
  return words.empty() ? summary : fmt::format("{}: {}", summary, words);
}

bool is_as_asked(const Record& row, std::string_view operation, RungResult& result) {
  if (!is_not_as_asked(row.status)) return true;
  result.outcome = Outcome::fail;
  result.summary = fmt::format("{} is {}", operation, name(row.status));
  result.findings.push_back({"all hosts together", {}, row.detail.text(), "docs/STATUS.md, on the row's status"});
  return false;
}

std::string failure_of(const Site& site, const sweep::LaunchRows& launch, const std::string& name) {
  return fmt::format("{}; see {}/{}.log", failure_in_words(launch), site.cluster.folder(), name);
}

RungResult failed(Site& site, RungResult result, const sweep::LaunchRows& launch, const std::string& name,
                  std::size_t ranks_per_host) {
  result.outcome = Outcome::fail;
  result.summary = "a launch failed";
  Finding finding{"the launch", {}, failure_of(site, launch, name), "the log that is named"};
  const auto place = launch.lost_rank ? static_cast<std::size_t>(launch.lost_rank->rank) / ranks_per_host : SIZE_MAX;
  if (place < site.hosts.size()) {
    finding.part = site.host_name(site.hosts[place]);
    finding.hosts = {finding.part};
    finding.look_at = "whether it still runs: its console, dmesg, and its link to the switch";
  } else if (auto changed = changed_hosts(site); !changed.empty()) {
    result.summary += ": " + finding.evidence;
    result.findings = std::move(changed);
    return result;
  }
  result.findings.push_back(std::move(finding));
  return result;
}

}  // namespace ringmark::accept

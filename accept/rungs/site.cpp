#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "accept/rungs/rungs.hpp"

namespace ringmark::accept {
namespace {

bool compares(Rung rung, const Criteria& criteria) {
  return rung != Rung::nodes && (rung != Rung::together || criteria.busbw_GBps);
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

RungResult failed(const Site& site, RungResult result, const sweep::LaunchRows& launch, const std::string& name,
                  std::size_t ranks_per_host) {
  result.outcome = Outcome::fail;
  result.summary = "a launch failed";
  Finding finding{"the launch", {}, failure_of(site, launch, name), "the log that is named"};
  const auto place = launch.lost_rank ? static_cast<std::size_t>(launch.lost_rank->rank) / ranks_per_host : SIZE_MAX;
  if (place < site.hosts.size()) {
    finding.part = site.host_name(site.hosts[place]);
    finding.hosts = {finding.part};
    finding.look_at = "whether it still runs: its console, dmesg, and its link to the switch";
  }
  result.findings.push_back(std::move(finding));
  return result;
}

}  // namespace ringmark::accept

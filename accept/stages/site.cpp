#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "accept/stages/stages.hpp"
#include "base/input/host_list.hpp"
#include "sweeps/launch/process_group.hpp"

namespace ringmark::accept {
namespace {

constexpr std::chrono::milliseconds longest_last_look = std::chrono::seconds(15);

bool compares(Stage stage, const Criteria& criteria) {
  return stage != Stage::nodes && (stage != Stage::together || criteria.busbw_GBps);
}

std::optional<std::size_t> host_of_lost(const Site& site, const sweep::LaunchRows& launch, std::size_t ranks_per_host) {
  if (!launch.lost_rank) return std::nullopt;
  if (!launch.lost_rank->rank) {
    const auto found = std::find_if(site.hosts.begin(), site.hosts.end(), [&](std::size_t host) {
      return is_same_host(site.host_name(host), launch.lost_rank->host);
    });
    return found == site.hosts.end() ? std::nullopt : std::optional(*found);
  }
  const auto place = static_cast<std::size_t>(*launch.lost_rank->rank) / ranks_per_host;
  return place < site.hosts.size() ? std::optional(site.hosts[place]) : std::nullopt;
}

Finding lost_host(const Site& site, std::size_t host, std::string evidence) {
  const auto& name = site.host_name(host);
  return {name, {name}, std::move(evidence), "whether it still runs: its console, dmesg, and its link to the switch"};
}

/// Runs the nodes stage again on hosts that had passed it, and returns its findings.
std::vector<Finding> changed_hosts(Site& site) {
  const auto& stages = site.criteria.stages;
  if (std::find(stages.begin(), stages.end(), Stage::nodes) == stages.end()) return {};
  std::vector<std::string> measured;
  for (const auto host : site.hosts) measured.push_back(site.host_name(host));
  try {
    auto findings = run_nodes(site).findings;
    std::erase_if(findings, [&measured](const Finding& each) {
      return std::find(measured.begin(), measured.end(), each.part) == measured.end();
    });
    return findings;
  } catch (const sweep::Interrupted&) {
    throw;
  } catch (const std::runtime_error&) {
    return {};  // no host answers, so none can be singled out
  }
}

}  // namespace

Site::Site(const Criteria& the_criteria, Cluster& the_cluster)
    : criteria(the_criteria),
      cluster(the_cluster),
      end(Deadline::after(the_criteria.budget - std::min(the_criteria.budget / 6, longest_last_look))),
      downs(the_criteria) {
  hosts.resize(criteria.fabric.hosts.size());
  std::iota(hosts.begin(), hosts.end(), std::size_t{0});
}

sweep::LaunchRows Site::launch(const std::string& name, const Measurement& measurement) {
  const auto begun = Clock::now();
  auto rows = cluster.launch(name, measurement);
  last_launch = Clock::now() - begun;
  return rows;
}

ErrorRates Site::rates() const {
  auto rates = criteria.rates;
  const auto stages = std::count_if(criteria.stages.begin(), criteria.stages.end(),
                                    [&](Stage stage) { return compares(stage, criteria); });
  rates.false_alarm /= static_cast<double>(std::max<std::ptrdiff_t>(stages, 1));
  return rates;
}

std::string launch_name(std::string_view stage, std::size_t number) { return fmt::format("{}-{:03}", stage, number); }

std::string with_words_of(std::string summary, const sweep::LaunchRows& launch) {
  const auto words = launch.rows.empty() ? "" : launch.rows.front().detail;
  return words.empty() ? summary : fmt::format("{}: {}", summary, words);
}

bool is_as_asked(const Record& row, std::string_view operation, StageResult& result) {
  if (!is_not_as_asked(row.status)) return true;
  result.outcome = Outcome::fail;
  result.summary = fmt::format("{} is {}", operation, name(row.status));
  result.findings.push_back({"all hosts together", {}, row.detail, "docs/reference/status.md for the row's status"});
  return false;
}

Finding link_finding(const LinkDown& down) {
  return {down.host,
          {down.host},
          in_words(down),
          "the cable, the transceiver, the switch port, and the kernel's log messages about them"};
}

std::string failure_of(const Site& site, const sweep::LaunchRows& launch, const std::string& name) {
  return fmt::format("{}; see {}/{}.log", launch.account, site.cluster.folder(), name);
}

bool leaves_out_lost(Site& site, const sweep::LaunchRows& launch, const std::string& name, std::size_t ranks_per_host) {
  const auto host = host_of_lost(site, launch, ranks_per_host);
  if (!host) return false;
  site.lost.push_back(lost_host(
      site, *host, fmt::format("{}; see {}/{}.log", in_words(*launch.lost_rank), site.cluster.folder(), name)));
  std::erase(site.hosts, *host);
  return true;
}

StageResult failed(Site& site, StageResult result, const sweep::LaunchRows& launch, const std::string& name,
                   std::size_t ranks_per_host) {
  result.outcome = Outcome::fail;
  result.summary = "a launch failed";
  const auto words = failure_of(site, launch, name);
  if (const auto host = host_of_lost(site, launch, ranks_per_host)) {
    result.findings.push_back(lost_host(site, *host, words));
  } else if (auto changed = changed_hosts(site); !changed.empty()) {
    result.summary += ": " + words;
    result.findings = std::move(changed);
  } else {
    result.findings.push_back({"the launch", {}, words, "the log named above"});
  }
  for (auto& each : std::exchange(site.lost, {})) result.findings.push_back(std::move(each));
  return result;
}

}  // namespace ringmark::accept

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accept/fabric/checkup.hpp"
#include "accept/fabric/differences.hpp"
#include "accept/stages/stages.hpp"
#include "base/text/with_count.hpp"

namespace ringmark::accept {
namespace {

/// "a, b, c and 5 others".
std::string some_hosts(const Site& site, const std::vector<std::size_t>& hosts) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, hosts.size()); ++i) names.push_back(site.host_name(hosts[i]));
  auto text = fmt::format("{}", fmt::join(names, ", "));
  if (hosts.size() > most) text += fmt::format(" and {}", with_count(hosts.size() - most, "other"));
  return text;
}

void judge_complaints(const Site& site, const Visit& visit, StageResult& result) {
  for (const auto& [complaint, hosts, is_common] : shared_complaints(visit.complaints)) {
    auto text = fmt::format("{} ({}): {}", complaint.subject, complaint.check, complaint.evidence);
    if (!complaint.meaning.empty()) text += "; " + complaint.meaning;
    const auto remedy = complaint.remedy.empty() ? "" : "$ " + complaint.remedy;
    if (!complaint.is_problem || is_common) {
      // All hosts have it, so it does not single one out.
      const auto which =
          is_common ? fmt::format("on {} of {} hosts", hosts.size(), visit.complaints.size()) : some_hosts(site, hosts);
      result.remarks.push_back(fmt::format("{}: {}{}", which, text, remedy.empty() ? "" : "; " + remedy));
      continue;
    }
    for (const auto host : hosts)
      result.findings.push_back({site.host_name(host), {site.host_name(host)}, text, remedy});
  }
}

}  // namespace

StageResult run_nodes(Site& site) {
  StageResult result{Stage::nodes, Outcome::undecided};
  const auto blame = [&](std::size_t host, std::string evidence, std::string look_at) {
    result.findings.push_back({site.host_name(host), {site.host_name(host)}, std::move(evidence), std::move(look_at)});
  };
  const auto visit = site.cluster.visit(VisitDepth::examination);
  if (visit.facts.empty())
    throw std::runtime_error("no process can be started on any of the hosts: " + visit.why_not.begin()->second);
  for (const auto& down : site.downs.seen(visit)) result.findings.push_back(link_finding(down));
  for (const auto& [host, why] : visit.why_not) {
    std::erase(site.hosts, host);
    if (visit.is_cut_off) {
      result.undecided.push_back(
          fmt::format("{} did not answer before the budget ran out: {}", site.host_name(host), why));
      continue;
    }
    blame(host, "does not answer: " + why, "whether it is up and the launcher can reach it");
  }
  for (const auto& [host, why] : visit.why_not_examined)
    result.undecided.push_back(fmt::format("{} was not examined: {}", site.host_name(host), why));
  judge_complaints(site, visit, result);
  for (const auto& each : differences(visit.facts)) {
    const auto text = fmt::format("{} is {}; most hosts have {}", each.fact, each.value, each.usual);
    if (each.matters) {
      blame(each.host, text, "how it is set on the other hosts");
    } else {
      result.remarks.push_back(fmt::format("{}: {}", site.host_name(each.host), text));
    }
  }
  result.outcome = result.by_findings();
  result.summary = fmt::format("{} of {} hosts answer, {} examined", visit.facts.size(),
                               site.criteria.fabric.hosts.size(), visit.complaints.size());
  if (!result.remarks.empty()) result.summary += fmt::format(", {}", with_count(result.remarks.size(), "remark"));
  return result;
}

}  // namespace ringmark::accept

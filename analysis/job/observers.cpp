#include "analysis/job/observers.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace ringmark::analysis::job {
namespace {

std::string said_by(const Evidence& evidence, std::size_t source) { return evidence.sources[source].file; }

/// True if the communicator has as many ranks as the job: its ranks are then taken to be the job's.
bool has_all_ranks(const Evidence& evidence, std::size_t communicator, const WaitOptions& options) {
  return evidence.communicators[communicator].size == job_ranks(evidence, options);
}

std::vector<int> numbers_of(const std::vector<RankName>& names) {
  std::vector<int> ranks;
  for (const auto& each : names) ranks.push_back(each.rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string hosts_of(const std::vector<RankName>& names) {
  std::set<std::string> hosts;
  for (const auto& each : names) {
    if (!each.host.empty()) hosts.insert(each.host);
  }
  return hosts.size() == 1 ? fmt::format(" on {}", *hosts.begin()) : "";
}

std::string group_text(const CountGroup& group) {
  const auto listed = static_cast<int>(group.listed.size()) == group.ranks;
  return listed ? ranks_text(numbers_of(group.listed)) + hosts_of(group.listed)
                : fmt::format("{} rank{}", group.ranks, group.ranks == 1 ? "" : "s");
}

bool is_same(const CountDifference& a, const CountDifference& b) {
  return a.source != b.source && a.communicator == b.communicator && a.operation == b.operation &&
         std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(),
                    [](const CountGroup& x, const CountGroup& y) { return x.count == y.count && x.ranks == y.ranks; });
}

Finding counts_finding(const Evidence& evidence, const CountDifference& difference) {
  auto groups = difference.groups;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const CountGroup& a, const CountGroup& b) { return a.count > b.count; });
  const auto& ahead = groups.front();
  Finding finding{.kind = FindingKind::counts_differ,
                  .is_decided = std::any_of(evidence.counts.begin(), evidence.counts.end(),
                                            [&](const CountDifference& each) { return is_same(each, difference); }),
                  .communicator = difference.communicator,
                  .operation = difference.operation,
                  .sequence = ahead.count};
  std::string behind;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    for (const auto& each : groups[i].listed) finding.ranks.push_back(each.rank);
    behind += fmt::format("{}{} {} launched {}", i == 1 ? "" : ", ", group_text(groups[i]),
                          groups[i].ranks == 1 ? "has" : "have", groups[i].count);
  }
  std::sort(finding.ranks.begin(), finding.ranks.end());
  finding.sentence =
      fmt::format("{} of {}: {}, and {} {}", difference.operation,
                  name(evidence.communicators[difference.communicator]), behind, group_text(ahead), ahead.count);
  if (!ahead.listed.empty() && finding.ranks.empty())
    finding.sentence += fmt::format("; RAS lists {}, which {} ahead, but not the ranks behind",
                                    ranks_text(numbers_of(ahead.listed)), ahead.listed.size() == 1 ? "is" : "are");
  finding.reason = finding.is_decided ? "two RAS reports have the same counts"
                                      : "a single report cannot tell stuck ranks from ranks that are still catching up";
  return finding;
}

Finding silent_observer(const Evidence& evidence, const CommunicatorStatus& status, const Wait& wait) {
  Finding finding{.kind = FindingKind::contradiction,
                  .communicator = wait.communicator,
                  .operation = wait.operation,
                  .sequence = wait.sequence,
                  .since = wait.since,
                  .waiting = {wait.rank}};
  const auto what = wait.ran
                        ? fmt::format("did not end within {:.4g} s{}", std::chrono::duration<double>(*wait.ran).count(),
                                      wait.ended_at.empty() ? "" : fmt::format(", until {}", wait.ended_at))
                        : fmt::format("has not ended{}", since_text(wait.since));
  finding.sentence = fmt::format("RAS reports {} ranks as OK, but on {} {} {}", status.ranks,
                                 ranks_text(evidence, wait.communicator, {wait.rank}),
                                 call_text(evidence, wait.communicator, wait.operation, wait.sequence), what);
  finding.reason =
      fmt::format("{}: RAS counts launches, but does not see whether they end", said_by(evidence, status.source));
  return finding;
}

void add_silent_observers(const Evidence& evidence, const WaitOptions& options, std::vector<Finding>& findings) {
  std::vector<Wait> waits;
  for (const auto& domain : domains_of(evidence, options)) {
    if (domain.has_job_ranks) waits = waits_of(domain, options);
  }
  for (const auto& wait : waits) {
    const auto& communicator = evidence.communicators[wait.communicator];
    const auto size = communicator.members.empty() ? 0 : static_cast<int>(communicator.members.size());
    for (const auto& status : evidence.statuses) {
      const bool may_be_it = size > 0 ? status.ranks == size : status.ranks > wait.rank;
      if (!status.is_ok || !may_be_it || wait.sequence == 0) continue;
      findings.push_back(silent_observer(evidence, status, wait));
      return;  // one waiting rank is enough
    }
  }
}

void add_reachable(const Evidence& evidence, const WaitOptions& options, std::vector<Finding>& findings) {
  for (const auto& statement : evidence.statements) {
    const bool is_unreachable = statement.liveness == Liveness::unresponsive || statement.liveness == Liveness::dead;
    if (!statement.rank || !statement.communicator || !is_unreachable) continue;
    const int rank = statement.rank->rank;
    if (!has_all_ranks(evidence, *statement.communicator, options) || !evidence.dumped.contains(rank)) continue;
    findings.push_back(
        {.kind = FindingKind::contradiction,
         .ranks = {rank},
         .communicator = statement.communicator,
         .sentence = fmt::format("RAS reports that {} {}, but it left a Flight Recorder dump",
                                 ranks_text(evidence, statement.communicator, {rank}), name(statement.liveness)),
         .reason = said_by(evidence, statement.source)});
  }
}

void add_other_ranks(const Evidence& evidence, const std::vector<Finding>& hung, const WaitOptions& options,
                     std::vector<Finding>& findings) {
  for (const auto& difference : evidence.counts) {
    if (!has_all_ranks(evidence, difference.communicator, options)) continue;
    std::vector<RankName> listed;
    for (const auto& group : difference.groups) {
      // A JSON report lists all ranks.
      if (static_cast<std::size_t>(group.ranks) * 2 > static_cast<std::size_t>(job_ranks(evidence, options))) continue;
      listed.insert(listed.end(), group.listed.begin(), group.listed.end());
    }
    const auto ranks = numbers_of(listed);
    for (const auto& finding : hung) {
      if (finding.ranks.empty() || ranks.empty() || finding.ranks == ranks) continue;
      const bool has_common = std::any_of(ranks.begin(), ranks.end(), [&](int rank) {
        return std::find(finding.ranks.begin(), finding.ranks.end(), rank) != finding.ranks.end();
      });
      if (has_common) continue;
      findings.push_back(
          {.kind = FindingKind::contradiction,
           .ranks = finding.ranks,
           .communicator = finding.communicator,
           .operation = finding.operation,
           .sequence = finding.sequence,
           .sentence = fmt::format("RAS lists {}, but the ranks' own records show {}", ranks_text(ranks),
                                   ranks_text(evidence, finding.communicator, finding.ranks)),
           .reason = fmt::format("{}: RAS lists the smallest set of ranks, whether they are ahead or behind",
                                 said_by(evidence, difference.source))});
      break;
    }
  }
}

}  // namespace

std::vector<Finding> unwell_ranks(const Evidence& evidence) {
  using Key = std::tuple<std::size_t, std::size_t, Liveness, std::string>;
  std::map<Key, std::vector<int>> ranks;
  std::map<std::size_t, std::vector<const Statement*>> processes;
  for (const auto& each : evidence.statements) {
    if (each.liveness == Liveness::not_a_member) continue;  // it may have finished
    if (each.rank && each.communicator) {
      ranks[{each.source, *each.communicator, each.liveness, each.detail}].push_back(each.rank->rank);
    } else {
      processes[each.source].push_back(&each);
    }
  }
  std::vector<Finding> findings;
  for (auto& [key, numbers] : ranks) {
    const auto& [source, communicator, liveness, detail] = key;
    processes.erase(source);
    std::sort(numbers.begin(), numbers.end());
    Finding finding{.kind = FindingKind::unwell, .ranks = numbers, .communicator = communicator};
    finding.sentence =
        fmt::format("{}: {}{}, of {} with {} ranks", ranks_text(evidence, communicator, numbers), name(liveness),
                    detail.empty() ? "" : fmt::format(" ({})", detail), name(evidence.communicators[communicator]),
                    evidence.communicators[communicator].size);
    finding.reason = said_by(evidence, source);
    findings.push_back(std::move(finding));
  }
  for (const auto& [source, statements] : processes) {
    for (const auto* each : statements) {
      findings.push_back({.kind = FindingKind::unwell,
                          .sentence = fmt::format("{} {}", each->process, name(each->liveness)),
                          .reason = said_by(evidence, source)});
    }
  }
  return findings;
}

std::vector<Finding> differing_counts(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& difference : evidence.counts) {
    const auto is_later = [&](const CountDifference& each) {
      return each.source > difference.source && each.communicator == difference.communicator &&
             each.operation == difference.operation;
    };
    const bool has_later = std::any_of(evidence.counts.begin(), evidence.counts.end(), is_later);
    if (!difference.groups.empty() && !has_later) findings.push_back(counts_finding(evidence, difference));
  }
  return findings;
}

std::vector<Finding> contradictions(const Evidence& evidence, const std::vector<Finding>& hung,
                                    const WaitOptions& options) {
  std::vector<Finding> findings;
  add_silent_observers(evidence, options, findings);
  add_reachable(evidence, options, findings);
  add_other_ranks(evidence, hung, options, findings);
  return findings;
}

}  // namespace ringmark::analysis::job

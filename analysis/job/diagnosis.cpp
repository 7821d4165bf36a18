#include "analysis/job/diagnosis.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "analysis/job/hung.hpp"
#include "analysis/job/observers.hpp"
#include "base/input/host_list.hpp"
#include "base/text/shell_text.hpp"
#include "base/units.hpp"

namespace ringmark::analysis::job {
namespace {

struct NextStep {
  std::string command, reason;
};

std::set<std::string> hosts_of(const Evidence& evidence, const Finding& finding, const std::vector<int>& ranks) {
  std::set<std::string> hosts;
  for (const int rank : ranks) {
    const auto host = finding.communicator ? evidence.host_of(*finding.communicator, rank) : "";
    if (!host.empty()) hosts.insert(host);
  }
  return hosts;
}

int ranks_of(const Evidence& evidence, const Finding& finding, const DiagnosisOptions& options) {
  const auto size = finding.communicator ? evidence.communicators[*finding.communicator].size : 0;
  return std::max(2, size > 0 ? size : job_ranks(evidence, options.waits));
}

NextStep links_of(const Evidence& evidence, const Finding& finding, const DiagnosisOptions& options) {
  return {fmt::format("mpirun -n {} ringmark-link --pairs all --csv links.csv && ringmark-analyze stragglers links.csv",
                      ranks_of(evidence, finding, options)),
          "shows whether a host or link holds up the ranks"};
}

/// Runs ringmark-doctor on the hosts at fault, or measures all links if these hosts are unknown or too many.
NextStep host_check(const Evidence& evidence, const Finding& finding, const DiagnosisOptions& options) {
  const auto hosts = hosts_of(evidence, finding, finding.ranks);
  constexpr std::size_t most = 8;
  if (hosts.empty() || hosts.size() > most) return links_of(evidence, finding, options);
  std::string command;
  for (const auto& host : hosts)
    command += fmt::format("{}ssh {} ringmark-doctor", command.empty() ? "" : "; ", shell_word(host));
  return {command, "shows whether the host is healthy"};
}

NextStep entries_check(const Evidence& evidence, const Finding& finding, const DiagnosisOptions& options) {
  return {fmt::format("mpirun -n {} ringmark-all-reduce --sizes 64M --samples samples.jsonl --csv now.csv && "
                      "ringmark-analyze stragglers now.csv --samples samples.jsonl",
                      ranks_of(evidence, finding, options)),
          "shows whether the rank is late without the application"};
}

NextStep size_check(const Evidence& evidence, const Finding& finding, const DiagnosisOptions& options) {
  auto program = finding.operation;
  std::replace(program.begin(), program.end(), '_', '-');
  return {fmt::format("mpirun -n {} ringmark-{} --sizes {} --csv now.csv", ranks_of(evidence, finding, options),
                      program, format_size(finding.size_bytes.value_or(mebi))),
          "shows whether the collective is slow without the application"};
}

NextStep next_step(const Evidence& evidence, const Finding& finding, const DiagnosisOptions& options) {
  switch (finding.kind) {
    case FindingKind::mismatched:
    case FindingKind::elsewhere:
      return {"", "the ranks call collectives in different orders, which is a bug in the program"};
    case FindingKind::counts_differ:
      return {"ncclras -f json > ras-again.json",
              "give it with the other files: ranks whose counts do not change are stuck"};
    case FindingKind::enters_late:
      return entries_check(evidence, finding, options);
    case FindingKind::slow:
      return size_check(evidence, finding, options);
    case FindingKind::missing:
    case FindingKind::late:
    case FindingKind::not_started:
    case FindingKind::unwell:
      return host_check(evidence, finding, options);
    case FindingKind::contradiction:
    case FindingKind::unfinished:
      break;
  }
  return links_of(evidence, finding, options);
}

}  // namespace

bool Diagnosis::is_undecided() const {
  return !findings.empty() &&
         std::none_of(findings.begin(), findings.end(), [](const Finding& each) { return each.is_decided; });
}

Diagnosis diagnose(const Evidence& evidence, const DiagnosisOptions& options) {
  auto findings = hung_ranks(evidence, options.waits);
  const auto hung = findings;
  for (auto& some : {unwell_ranks(evidence), contradictions(evidence, hung, options.waits), late_entries(evidence),
                     slow_collectives(evidence, options.baseline, options.tolerated_share), differing_counts(evidence)})
    findings.insert(findings.end(), some.begin(), some.end());
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(!a.is_decided, a.kind) < std::pair(!b.is_decided, b.kind);
  });
  Diagnosis diagnosis{std::move(findings), "", ""};
  if (!diagnosis.findings.empty()) {
    auto step = next_step(evidence, diagnosis.findings.front(), options);
    diagnosis.next_command = std::move(step.command);
    diagnosis.next_reason = std::move(step.reason);
  }
  return diagnosis;
}

}  // namespace ringmark::analysis::job

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/job/diagnosis.hpp"
#include "base/text/with_count.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::analysis::job {
namespace {

/// "4 Flight Recorder dumps (2.10), 1 NCCL RAS report (2.26.2)"
std::string sources_text(const Evidence& evidence) {
  std::map<std::pair<SourceKind, std::string>, std::size_t> counts;
  for (const auto& each : evidence.sources) ++counts[{each.kind, each.version}];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : counts)
    parts.push_back(with_count(count, name(kind.first)) +
                    (kind.second.empty() ? "" : fmt::format(" ({})", kind.second)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

JsonRow row_of(const Evidence& evidence, const Finding& finding) {
  std::set<std::string> hosts;
  for (const int rank : finding.ranks) {
    const auto host = finding.communicator ? evidence.host_of(*finding.communicator, rank) : "";
    if (!host.empty()) hosts.insert(host);
  }
  return {
      {"schema", "job/1"},
      {"kind", name(finding.kind)},
      {"is_decided", finding.is_decided},
      {"ranks", finding.ranks},
      {"hosts", hosts},
      {"communicator", finding.communicator ? JsonRow(evidence.communicators[*finding.communicator].id) : JsonRow()},
      {"operation", finding.operation.empty() ? JsonRow() : JsonRow(finding.operation)},
      {"sequence", or_null(finding.sequence)},
      {"size_bytes", or_null(finding.size_bytes)},
      {"since_utc",
       finding.since ? JsonRow(utc_text(std::chrono::floor<std::chrono::seconds>(*finding.since))) : JsonRow()},
      {"waiting", finding.waiting},
      {"sentence", finding.sentence},
      {"reason", finding.reason}};
}

/// ", as far as records of 1 of 4 ranks show" for the largest communicator with ranks that have no records.
std::string coverage_in_words(const Evidence& evidence) {
  std::map<std::size_t, std::set<int>> recorded;
  for (const auto& calls : evidence.calls) recorded[calls.communicator].insert(calls.rank);
  for (const auto& call : evidence.timed) recorded[call.communicator].insert(call.rank);
  std::size_t ranks = 0, all = 0;
  for (const auto& [communicator, of_these] : recorded) {
    const auto size = static_cast<std::size_t>(evidence.communicators[communicator].size);
    if (of_these.size() < size && size > all) ranks = of_these.size(), all = size;
  }
  return all == 0 ? "" : fmt::format(", as far as records of {} of {} ranks show", ranks, all);
}

}  // namespace

std::string print(const Evidence& evidence, const Diagnosis& diagnosis) {
  std::string text;
  for (const auto& each : diagnosis.findings) {
    text += each.sentence + "\n";
    if (!each.reason.empty()) text += fmt::format("  {}\n", each.reason);
  }
  if (diagnosis.findings.empty())
    text += fmt::format("no problem found: no rank is missing or late, and no two sources disagree{}\n",
                        coverage_in_words(evidence));
  text += fmt::format("\nread: {}\n", sources_text(evidence));
  if (!diagnosis.next_command.empty()) {
    text += fmt::format("measure next: {}\n  {}\n", diagnosis.next_command, diagnosis.next_reason);
  } else if (!diagnosis.next_reason.empty()) {
    text += fmt::format("nothing to measure: {}\n", diagnosis.next_reason);
  }
  return text;
}

std::string to_json(const Evidence& evidence, const Diagnosis& diagnosis) {
  std::vector<JsonRow> rows;
  for (const auto& each : diagnosis.findings) {
    rows.push_back(row_of(evidence, each));
    rows.back()["next_command"] =
        rows.size() == 1 && !diagnosis.next_command.empty() ? JsonRow(diagnosis.next_command) : JsonRow();
  }
  return json_rows(rows);
}

}  // namespace ringmark::analysis::job

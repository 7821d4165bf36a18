#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/job/readers.hpp"
#include "base/text/line_cursor.hpp"

namespace ringmark::analysis::job {
namespace {

constexpr std::string_view timeout_mark = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=";

/// The job's rank, from the logger's "[rank118]:", or else the one that the message begins with, "[Rank 118]".
std::optional<int> rank_in(std::string_view line) {
  for (const std::string_view mark : {"[rank", "Rank "}) {
    LineCursor scan(line);
    while (scan.find(mark)) {
      const auto rank = scan.number<int>();
      if (rank && *rank >= 0 && *rank < most_ranks && scan.skip("]")) return rank;
    }
  }
  return std::nullopt;
}

/// "06-03 17:48:01", from the logger's "[E603 17:48:01.005271823 ProcessGroupNCCL.cpp:632]".
std::string time_in(std::string_view line) {
  LineCursor scan(line);
  while (scan.find("[E")) {
    const auto day = scan.number<int>();
    if (!day || !scan.skip(" ")) continue;
    constexpr std::size_t clock = 8;
    return fmt::format("{:02}-{:02} {}", *day / 100, *day % 100, scan.until(". ]").substr(0, clock));
  }
  return "";
}

struct NamedGroup {
  std::string id, description;
};

/// "[PG ID 0 PG GUID 0(default_pg) Rank 118]", or "[PG 1 Rank 0]" before PyTorch 2.4.
std::optional<NamedGroup> group_in(std::string_view line) {
  LineCursor scan(line);
  if (scan.find("PG GUID ")) {
    const auto id = scan.until("( ]");
    const auto description = scan.skip("(") ? scan.until(")") : std::string_view();
    return NamedGroup{std::string(id), std::string(description)};
  }
  scan = LineCursor(line);
  if (!scan.find("[PG ")) return std::nullopt;
  return NamedGroup{std::string(scan.until(" ]")), ""};
}

std::optional<std::uint64_t> number_after(std::string_view line, std::initializer_list<std::string_view> marks) {
  for (const auto mark : marks) {
    LineCursor scan(line);
    if (scan.find(mark)) return scan.number<std::uint64_t>();
  }
  return std::nullopt;
}

std::optional<Call> timed_out_call(std::string_view line) {
  LineCursor scan(line);
  if (!scan.find(timeout_mark)) return std::nullopt;
  const auto sequence = scan.number<std::uint64_t>();
  if (!sequence || !scan.skip(", OpType=")) return std::nullopt;
  Call call{.sequence = *sequence, .operation = operation_named(scan.until(",)")), .state = CallState::started};
  if (scan.skip(", ")) call.shape = std::string(scan.rest().substr(0, scan.rest().find(", Timeout")));
  if (scan.find("ran for ")) {
    if (const auto ran = scan.number<std::int64_t>()) call.ran = std::chrono::milliseconds(*ran);
  }
  call.ended_at = time_in(line);
  return call;
}

class WatchdogReader {
 public:
  WatchdogReader(Evidence& evidence, std::size_t source) : evidence_(evidence), source_(source) {}

  void take(std::string_view line) {
    const auto rank = rank_in(line);
    if (!rank) return;
    evidence_.least_ranks = std::max(evidence_.least_ranks, *rank + 1);
    if (const auto call = timed_out_call(line)) {
      without_group_[{*rank, call->sequence}] = *call;
      return;
    }
    // The group's name follows in a line of its own.
    const auto sequence = number_after(
        line, {"watchdog at work sequence id: ", "detected by watchdog at work: ", "Timeout at NCCL work: "});
    const auto group = group_in(line);
    if (!sequence || !group) return;
    const auto known = without_group_.find({*rank, *sequence});
    if (known == without_group_.end()) return;
    add(*rank, *group, known->second).last_entered =
        number_after(line, {"last enqueued work: ", "last enqueued NCCL work: "});
    without_group_.erase(known);
  }

  void finish() {
    for (const auto& [key, call] : without_group_) add(key.first, {"", ""}, call);
  }

 private:
  RankCalls& add(int rank, const NamedGroup& group, const Call& call) {
    auto& mine =
        evidence_.calls_of(source_, evidence_.communicator(group.id, group.description, /*has_job_ranks=*/true), rank);
    mine.calls.emplace(call.sequence, call);
    return mine;
  }

  Evidence& evidence_;
  std::size_t source_;
  std::map<std::pair<int, std::uint64_t>, Call> without_group_;  ///< by rank and sequence
};

}  // namespace

bool has_watchdog_lines(std::string_view text) { return text.find(timeout_mark) != std::string_view::npos; }

void read_watchdog(Evidence& evidence, const JobFile& file, std::string_view text) {
  evidence.sources.push_back({file.path, SourceKind::watchdog, "", file.modified});
  WatchdogReader reader(evidence, evidence.sources.size() - 1);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    reader.take(text.substr(begin, end - begin));
    begin = end + 1;
  }
  reader.finish();
}

}  // namespace ringmark::analysis::job

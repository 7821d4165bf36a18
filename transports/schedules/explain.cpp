#include "transports/schedules/explain.hpp"

#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "transports/schedules/chunk.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {
namespace {

/// One phrase for consecutive chunks with the same peer.
struct Run {
  int peer, first, last;
  Combine combine;
  std::size_t bytes;
};

template <class Entry>
Combine combine_of(const Entry& entry) {
  if constexpr (requires { entry.combine; }) return entry.combine;
  return Combine::copy;
}

/// `origin` returns where an entry's chunk began.
template <class Entry, class Origin>
std::vector<Run> runs_of(const std::vector<Entry>& entries, const Schedule& schedule, const Operation& operation,
                         Origin origin) {
  std::vector<Run> runs;
  for (const auto& entry : entries) {
    const auto bytes = chunk_bytes(schedule, operation, origin(entry), entry.chunk);
    const auto combine = combine_of(entry);
    if (!runs.empty() && runs.back().peer == entry.peer && runs.back().last + 1 == entry.chunk &&
        runs.back().combine == combine) {
      runs.back().last = entry.chunk;
      runs.back().bytes += bytes;
    } else {
      runs.push_back({entry.peer, entry.chunk, entry.chunk, combine, bytes});
    }
  }
  return runs;
}

std::string phrase(const Run& run, std::string_view verb, std::string_view preposition) {
  const auto chunks =
      run.first == run.last ? fmt::format("chunk {}", run.first) : fmt::format("chunks {} to {}", run.first, run.last);
  return fmt::format("{} {} {} {} ({} B)", verb, chunks, preposition, run.peer, run.bytes);
}

std::string_view receive_verb(Combine combine) {
  switch (combine) {
    case Combine::copy:
      return "receive";
    case Combine::reduce:
      return "reduce";
    case Combine::reduce_last:
      break;
  }
  return "complete";
}

}  // namespace

std::string explain(const Schedule& schedule, const Operation& operation, int most_ranks) {
  std::string text =
      fmt::format("{} {}: {} ranks, {} steps, {} chunk{} of {}{} elements of {}\n", schedule.algorithm(),
                  name(operation.collective), schedule.ranks(), schedule.steps(), schedule.chunks(),
                  schedule.chunks() == 1 ? "" : "s", operation.counts ? "up to " : "",
                  ChunkLayout(operation, 0, schedule.ranks(), schedule.chunks()).longest(), name(operation.type));
  const bool all = schedule.ranks() <= most_ranks;
  if (!all) text += "one rank of each kind is shown; the others do the same with other peers\n";
  std::set<int> shown;
  Step step;
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    if (!all && (!shown.insert(schedule.symmetry_class(rank)).second || static_cast<int>(shown.size()) > most_ranks)) {
      continue;
    }
    text += fmt::format("rank {} sends {} B\n", rank, sent_bytes(schedule, operation, rank));
    for (int s = 0; s < schedule.steps(); ++s) {
      step.clear();
      schedule.append(rank, s, step);
      std::string line;
      const auto add = [&](const std::string& more) { line += (line.empty() ? "" : ", ") + more; };
      const auto of_send = [&](const Send& send) { return schedule.origin(rank, s, send.chunk); };
      const auto of_receive = [&](const Receive& receive) { return schedule.origin(receive.peer, s, receive.chunk); };
      for (const auto& run : runs_of(step.sends, schedule, operation, of_send)) add(phrase(run, "send", "to"));
      for (const auto& run : runs_of(step.receives, schedule, operation, of_receive)) {
        add(phrase(run, receive_verb(run.combine), "from"));
      }
      text += fmt::format("  step {}: {}\n", s, line.empty() ? "-" : line);
    }
  }
  return text;
}

}  // namespace ringmark

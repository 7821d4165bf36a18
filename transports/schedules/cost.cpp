#include "transports/schedules/cost.hpp"

#include <algorithm>
#include <map>

#include "transports/schedules/chunk.hpp"

namespace ringmark {

Cost cost_of(const Schedule& schedule) {
  std::map<int, int> classes;  // class → a rank of it
  for (int rank = 0; rank < schedule.ranks(); ++rank) classes.try_emplace(schedule.symmetry_class(rank), rank);
  std::size_t chunks = 0, reduced = 0;
  Step step;
  for (int s = 0; s < schedule.steps(); ++s) {
    std::size_t most = 0, most_reduced = 0;
    for (const auto& [symmetry_class, rank] : classes) {
      step.clear();
      schedule.append(rank, s, step);
      most = std::max({most, step.sends.size(), step.receives.size()});
      const auto reduces = [](const auto& receive) { return receive.combine != Combine::copy; };
      const auto reductions = std::count_if(step.receives.begin(), step.receives.end(), reduces);
      most_reduced = std::max(most_reduced, static_cast<std::size_t>(reductions));
    }
    chunks += most;
    reduced += most_reduced;
  }
  const auto share_of = [&](std::size_t some) { return static_cast<double>(some) / schedule.chunks(); };
  return {static_cast<double>(schedule.steps()), share_of(chunks), share_of(reduced)};
}

std::size_t chunk_bytes(const Schedule& schedule, const Operation& operation, int chunk) {
  return chunk_of(vector_elements(operation, schedule.ranks()), schedule.chunks(), chunk).length *
         size_bytes(operation.type);
}

std::size_t sent_bytes(const Schedule& schedule, const Operation& operation, int rank,
                       const std::function<bool(int peer)>& counts) {
  std::size_t bytes = 0;
  Step step;
  for (int s = 0; s < schedule.steps(); ++s) {
    step.clear();
    schedule.append(rank, s, step);
    for (const auto& send : step.sends) {
      if (counts(send.peer)) bytes += chunk_bytes(schedule, operation, send.chunk);
    }
  }
  return bytes;
}

}  // namespace ringmark

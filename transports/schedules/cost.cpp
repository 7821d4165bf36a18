#include "transports/schedules/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "transports/schedules/chunk.hpp"
#include "transports/schedules/moved_bytes.hpp"

namespace ringmark {

Cost cost_of(const Schedule& schedule) {
  struct Work {
    std::size_t sent = 0, received = 0, reduced = 0;
    std::size_t moved() const { return std::max(sent, received); }
  };
  std::map<int, int> classes;  // class → a rank of it
  for (int rank = 0; rank < schedule.ranks(); ++rank) classes.try_emplace(schedule.symmetry_class(rank), rank);
  std::map<int, Work> totals;  // by class
  std::size_t chunks = 0, reduced = 0;
  Step step;
  for (int s = 0; s < schedule.steps(); ++s) {
    std::size_t most = 0, most_reduced = 0;
    for (const auto& [symmetry_class, rank] : classes) {
      step.clear();
      schedule.append(rank, s, step);
      const auto reduces = [](const auto& receive) { return receive.combine != Combine::copy; };
      const auto reductions = std::count_if(step.receives.begin(), step.receives.end(), reduces);
      const Work work{step.sends.size(), step.receives.size(), static_cast<std::size_t>(reductions)};
      most = std::max(most, work.moved());
      most_reduced = std::max(most_reduced, work.reduced);
      auto& total = totals[symmetry_class];
      total = {total.sent + work.sent, total.received + work.received, total.reduced + work.reduced};
    }
    chunks += most;
    reduced += most_reduced;
  }
  const auto share_of = [&](std::size_t some) { return static_cast<double>(some) / schedule.chunks(); };
  Cost cost{static_cast<double>(schedule.steps()), share_of(chunks), share_of(reduced)};
  cost.chunks = schedule.chunks();
  if (schedule.overlaps_steps()) {
    Work busiest;
    for (const auto& [symmetry_class, total] : totals) {
      busiest.sent = std::max(busiest.sent, total.moved());
      busiest.reduced = std::max(busiest.reduced, total.reduced);
    }
    cost.overlapped = {share_of(busiest.sent), share_of(busiest.reduced)};
  }
  return cost;
}

std::size_t least_slice_bytes(const LinkCost& link) {
  constexpr double times_alpha = 4, least = 16 << 10, most = 1 << 20;
  const double bytes = times_alpha * link.alpha_us / std::max(link.beta_us_per_byte, 1e-9);
  // A power of two, so that launches with slightly different measurements mostly use the same slices.
  return std::bit_floor(static_cast<std::size_t>(std::clamp(bytes, least, most)));
}

double LinkCost::time_us(const Cost& cost, double total_bytes) const {
  const auto least_bytes = least_slice_bytes(*this);
  double reduced = cost.reduced;
  if (cost.overlapped) {
    const double overlapped = cost.overlapped->reduced;
    reduced = overlapped + (reduced - overlapped) / slices_of(cost, total_bytes, least_bytes);
  }
  return cost.steps * alpha_us + moved_bytes(cost, total_bytes, least_bytes) * beta_us_per_byte +
         total_bytes * reduced * gamma_us_per_byte;
}

std::size_t chunk_bytes(const Schedule& schedule, const Operation& operation, int origin, int chunk) {
  const ChunkLayout layout(operation, origin, schedule.ranks(), schedule.chunks());
  return layout.length(origin, chunk) * size_bytes(operation.type);
}

std::size_t sent_bytes(const Schedule& schedule, const Operation& operation, int rank,
                       const std::function<bool(int peer)>& counts) {
  const ChunkLayout layout(operation, rank, schedule.ranks(), schedule.chunks());
  std::size_t elements = 0;
  Step step;
  for (int s = 0; s < schedule.steps(); ++s) {
    step.clear();
    schedule.append(rank, s, step);
    for (const auto& send : step.sends) {
      if (counts(send.peer)) elements += layout.length(schedule.origin(rank, s, send.chunk), send.chunk);
    }
  }
  return elements * size_bytes(operation.type);
}

}  // namespace ringmark

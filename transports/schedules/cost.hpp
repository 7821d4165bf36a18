// The cost of a schedule on a network where every rank sends and receives at the same time and rate (Hockney's model).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// time = steps * alpha + share * S * beta + reduced * S * gamma, where S is the whole vector in bytes, alpha the time
/// of an empty message, beta the time of a byte, and gamma the time to reduce a byte.
struct Cost {
  double steps;
  double share;        ///< fraction of S, summed over the steps: sent or received by the step's busiest rank
  double reduced = 0;  ///< fraction of S, summed over the steps: reduced by the step's busiest rank

  /// Share and reduced if slices of a long vector let all steps overlap: sent or received, and reduced, by the rank
  /// that is busiest over all steps. Equal to the above if steps do not overlap.
  struct Overlapped {
    double share, reduced;
  };
  std::optional<Overlapped> overlapped = std::nullopt;
  int chunks = 1;  ///< number of chunks in the vector; each is split into slices
};

Cost cost_of(const Schedule& schedule);

/// Bytes of a chunk of the operation's vector; in an all_to_all, of the chunk that began at rank `origin`.
std::size_t chunk_bytes(const Schedule& schedule, const Operation& operation, int origin, int chunk);

/// Payload bytes that `rank` sends to the peers for which `counts` is true, by default all.
std::size_t sent_bytes(
    const Schedule& schedule, const Operation& operation, int rank,
    const std::function<bool(int peer)>& counts = [](int) { return true; });

/// Time of a step in which all ranks send and receive concurrently: alpha + bytes * beta + reduced bytes * gamma.
struct LinkCost {
  double alpha_us;
  double beta_us_per_byte;
  double gamma_us_per_byte = 0;

  double time_us(const Cost& cost, double total_bytes) const;
};

/// The smallest slice that is worth its own message on such a link, 16K to 1M: its bytes take four times as long as the
/// fixed cost of a message.
std::size_t least_slice_bytes(const LinkCost& link);
/// The largest slice unless specified otherwise.
constexpr std::size_t usual_slice_bytes = 128 << 10;
/// A chunk that is long enough is split into at least this many slices.
constexpr std::size_t usual_slices = 4;

}  // namespace ringmark

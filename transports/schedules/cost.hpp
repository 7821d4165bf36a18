// What a schedule costs on a network where every rank sends and receives at the same time at one rate (Hockney's
// model).
#pragma once

#include <cstddef>
#include <functional>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// time = steps * alpha + share * S * beta + reduced * S * gamma, with S the whole vector in bytes, alpha the time of
/// an empty message, beta the time of a byte and gamma what its reduction adds.
struct Cost {
  double steps;
  double share;        ///< of S: over all steps, what the busiest rank sends or receives in each
  double reduced = 0;  ///< of S: over all steps, what the busiest rank reduces
};

Cost cost_of(const Schedule& schedule);

/// Of a chunk of the operation's vector.
std::size_t chunk_bytes(const Schedule& schedule, const Operation& operation, int chunk);

/// Payload bytes that `rank` sends, to all others or to the peers that `counts` is true for.
std::size_t sent_bytes(
    const Schedule& schedule, const Operation& operation, int rank,
    const std::function<bool(int peer)>& counts = [](int) { return true; });

/// What a step takes while all ranks send and receive at once: alpha + bytes * beta, and gamma for each byte reduced.
struct LinkCost {
  double alpha_us;
  double beta_us_per_byte;
  double gamma_us_per_byte = 0;

  double time_us(const Cost& cost, double total_bytes) const {
    return cost.steps * alpha_us + total_bytes * (cost.share * beta_us_per_byte + cost.reduced * gamma_us_per_byte);
  }
};

}  // namespace ringmark

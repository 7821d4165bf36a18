// The cost of a schedule on a network where every rank sends and receives at the same time and rate (Hockney's model).
#pragma once

#include <cstddef>
#include <functional>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// time = steps * alpha + share * S * beta + reduced * S * gamma, where S is the whole vector in bytes, alpha the time
/// of an empty message, beta the time of a byte, and gamma the time to reduce a byte.
struct Cost {
  double steps;
  double share;        ///< fraction of S, summed over the steps: sent or received by the step's busiest rank
  double reduced = 0;  ///< fraction of S, summed over the steps: reduced by the step's busiest rank
};

Cost cost_of(const Schedule& schedule);

/// Bytes of a chunk of the operation's vector.
std::size_t chunk_bytes(const Schedule& schedule, const Operation& operation, int chunk);

/// Payload bytes that `rank` sends to the peers for which `counts` is true, by default all.
std::size_t sent_bytes(
    const Schedule& schedule, const Operation& operation, int rank,
    const std::function<bool(int peer)>& counts = [](int) { return true; });

/// Time of a step in which all ranks send and receive at once: alpha + bytes * beta + reduced bytes * gamma.
struct LinkCost {
  double alpha_us;
  double beta_us_per_byte;
  double gamma_us_per_byte = 0;

  double time_us(const Cost& cost, double total_bytes) const {
    return cost.steps * alpha_us + total_bytes * (cost.share * beta_us_per_byte + cost.reduced * gamma_us_per_byte);
  }
};

}  // namespace ringmark

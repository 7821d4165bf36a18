// Latency, bandwidth and burst between two ranks of a fabric.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/flags/link_options.hpp"
#include "bench/harness/stopping.hpp"
#include "transports/fabric/fabric.hpp"

namespace ringmark {

struct LinkPlan {
  LinkTest test = LinkTest::latency;
  int source = 0, destination = 1;
  std::size_t bytes = 8;
  MeasuringTime time;
  /// Called at the source with true before and false after the timed part, for counters.
  std::function<void(bool)> around_timed = [](bool) {};
};

/// How a source continues; it tells the destination first. Sent as raw bytes.
struct LinkBlock {
  enum class Kind : std::int32_t {
    samples,  ///< `samples` samples follow, and the destination reports wrong bytes after the last
    start,    ///< the source has warmed up, and waits until all sources of the destination have
    end
  };
  Kind kind = Kind::samples;
  std::int32_t samples = 0, messages = 0;  ///< messages per sample
};

struct LinkResult {
  std::vector<double> times_us;  ///< per message
  std::uint64_t messages = 0;    ///< sent by the source during the timed part
  std::uint64_t wrong_bytes = 0;
  std::optional<StopReason> stop_reason;
};

/// Called by source and destination, already connected; only the source gets a result. Latency is half the round-trip
/// time of a message that the destination returns. Bandwidth is that of back-to-back messages until the destination has
/// acknowledged the last one: 4 MiB of them, or as many as fit into a quarter of the time (up to half of it if
/// acknowledgement is slow). Burst times a single message until it is acknowledged, after the link has been idle: a
/// shaper then has tokens, or a switch room in its buffer, to pass it at once. The destination checks the last message
/// of each block.
///
/// Without a number of iterations, the warm-up takes at most about half of the maximum time, and the timed part about
/// all of it. Each has at least one sample, and ends with the sample that passes its limit or comes closest to it.
LinkResult measure_link(Fabric& fabric, const LinkPlan& plan);

}  // namespace ringmark

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
    samples,  ///< this many follow, and the destination reports wrong bytes after the last
    start,    ///< it has warmed up and waits until all sources of the destination have too
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

/// Called by source and destination, already connected; only the source gets a result. Latency is half a round trip of
/// a message that is sent back. Bandwidth is that of back-to-back messages, 4 MiB of them or what a quarter of the time
/// allows (up to half of it if acknowledgement is slow), until the destination has acknowledged the last one. Burst
/// times a single message until it is acknowledged, after the link has rested: a shaper or a switch's buffer then lets
/// through at once what it has saved up. The destination checks the last message of each block.
///
/// Without a number of iterations, the warm-up takes about half of the time at most, and the timed part about all of
/// it: each ends with the sample that passes its limit or comes nearest to it, and has at least one.
LinkResult measure_link(Fabric& fabric, const LinkPlan& plan);

}  // namespace ringmark

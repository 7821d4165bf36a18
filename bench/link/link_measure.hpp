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
  /// Called at the source, with true before and false after what is timed: for counters.
  std::function<void(bool)> around_timed = [](bool) {};
};

/// How a source goes on; it tells the destination first. It travels as bytes.
struct LinkBlock {
  enum class Kind : std::int32_t {
    samples,  ///< that many come, and the destination reports wrong bytes after the last
    start,    ///< it has warmed up, and waits until all sources of the destination have
    end
  };
  Kind kind = Kind::samples;
  std::int32_t samples = 0, messages = 0;  ///< messages of each sample
};

struct LinkResult {
  std::vector<double> times_us;  ///< of one message
  std::uint64_t messages = 0;    ///< that the source sent while it was timed
  std::uint64_t wrong_bytes = 0;
  std::optional<StopReason> stop_reason;
};

/// Source and destination call it, connected already; only the source gets a result. Latency is half a round trip of a
/// message that is sent back. Bandwidth is that of messages back to back, 4 MiB of them, or what a quarter of the time
/// allows (up to half of it where the acknowledgement is slow), until the destination has acknowledged the last one.
/// Burst is a single message until it is acknowledged, after the link has rested: a shaper, or a switch's buffer, then
/// lets through at once what it saved up. The destination checks the last message of each block.
///
/// Without a number of iterations, the warm-up takes about half of the time at most, and what is timed about all of it:
/// each ends with the sample that passes its limit or comes nearest, and has at least one.
LinkResult measure_link(Fabric& fabric, const LinkPlan& plan);

}  // namespace ringmark

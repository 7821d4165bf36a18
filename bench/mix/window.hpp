// A period in which some groups repeat their operations back to back, without pauses between groups.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/control.hpp"
#include "transports/communicator.hpp"

namespace ringmark::mix {

/// One rank's part of a group.
struct Part {
  std::size_t group = 0;
  Communicator* communicator = nullptr;
  Operation operation;
  Buffers buffers{};
};

/// When a group's rank started and when each of its operations ended, on rank 0's clock.
struct Progress {
  double begin_us = 0;
  std::vector<double> end_us;
};

/// Runs each part `times` times (by group), all parts of this rank concurrently. Throws TimedOut if no operation ends
/// within `patience`, with the message of a communicator that knows which rank it waits for.
std::vector<Progress> play(std::span<const Part> parts, std::span<const int> times, double to_common_us,
                           Clock::duration patience);

/// A rank's progress as bytes to send: binary doubles, because there are many.
std::string pack(std::span<const Part> parts, std::span<const Progress> progress);
/// Adds a rank's progress; `by_group` has all groups.
void unpack(std::string_view packed, std::vector<std::vector<Progress>>& by_group);

/// Times of a group's operations: from the moment when all its ranks have ended one until all have ended the next.
struct GroupTimes {
  double begin_us = 0;
  std::vector<double> end_us;

  /// Those within a period of time.
  std::vector<double> within(double from_us, double to_us) const;
};

/// A group's times from the progress of its ranks, which all ran the same number of operations.
GroupTimes merge(const std::vector<Progress>& ranks);

/// The time of each group's operations while all groups were busy.
std::vector<std::vector<double>> while_all_ran(const std::vector<GroupTimes>& groups);

}  // namespace ringmark::mix

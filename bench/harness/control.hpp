// How the ranks coordinate between timed operations, over their own TCP connections: not over the path being measured,
// and not over MPI, whose polling costs milliseconds with more ranks than cores.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transports/communicator.hpp"
#include "transports/fabric/fabric.hpp"

namespace ringmark {

/// This rank's clock relative to rank 0's.
struct ClockOffset {
  double to_rank0_us = 0;  ///< to add to a time of this rank
  double error_us = 0;     ///< upper bound: half of the round trips along the tree to rank 0, added up
};

class Control {
 public:
  Control(std::unique_ptr<Fabric> fabric, Clock::duration timeout);

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Dissemination barrier: each rank sends and receives ceil(log2 n) messages.
  void barrier();
  /// With a timeout of its own, for ranks that wait while others work for long. A rank that dies is still noticed.
  void barrier(Clock::duration patience);
  /// All ranks' values, rank by rank; all must pass the same number of them.
  std::vector<double> all_gather(std::span<const double> mine);
  /// All ranks' bytes, of any length, for exchange().
  std::vector<std::string> all_gather(std::string_view mine);
  double sum(double mine);
  double max(double mine);
  /// The largest value. Takes as long as a barrier, because it needs only a barrier's messages.
  double latest(double mine_us);

  /// All ranks call it before the first look_around().
  void watch();
  /// Throws PeerLost if a rank is lost or reports a lost one. Does not block. For waits outside of the calls above.
  void look_around();

  /// Measures the clock offsets along a binomial tree rooted at rank 0; the shortest of several round trips per edge
  /// counts.
  ClockOffset synchronise_clocks();

 private:
  std::vector<int> neighbours() const;
  Deadline deadline() const { return Deadline::after(timeout_); }
  void send(int to, double value);
  double receive(int from);

  int rank_, size_;
  Clock::duration timeout_;
  std::unique_ptr<Fabric> clock_fabric_;
  std::unique_ptr<Fabric> watch_fabric_;  ///< never used for sending, so an event on it means a loss
  std::vector<std::byte> watched_bytes_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<std::byte> barrier_bytes_;
};

/// Microseconds on this rank's steady clock.
double now_us();

}  // namespace ringmark

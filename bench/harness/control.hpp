// How the ranks agree with each other between timed operations, over TCP connections of their own: not over what is
// being measured, and not over MPI, whose polling costs milliseconds with more ranks than cores.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transports/communicator.hpp"
#include "transports/fabric/fabric.hpp"

namespace ringmark {

/// This rank's clock against rank 0's.
struct ClockOffset {
  double to_rank0_us = 0;  ///< to be added to a time of this rank
  double error_us = 0;     ///< half the round trips on the way to rank 0
};

class Control {
 public:
  Control(std::unique_ptr<Fabric> fabric, Clock::duration timeout);

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Dissemination barrier: ceil(log2 n) messages each way per rank.
  void barrier();
  /// For ranks that wait while others work for long: those that die are noticed all the same.
  void barrier(Clock::duration patience);
  /// Everyone's values, rank by rank; all pass the same number of them.
  std::vector<double> all_gather(std::span<const double> mine);
  /// Everyone's bytes, of any length, for exchange().
  std::vector<std::string> all_gather(std::string_view mine);
  double sum(double mine);
  double max(double mine);
  /// The largest value, by the messages of a barrier, and so as fast as one.
  double latest(double mine_us);

  /// All ranks call it, before the first look_around().
  void watch();
  /// Throws PeerLost if a rank is gone or told of one. For waits in which none of the calls above is under way: it does
  /// not block.
  void look_around();

  /// Measures the clock along a binomial tree towards rank 0, several round trips each, of which the shortest counts.
  ClockOffset synchronise_clocks();

 private:
  std::vector<int> neighbours() const;
  Deadline deadline() const { return Deadline::after(timeout_); }
  void send(int to, double value);
  double receive(int from);

  int rank_, size_;
  Clock::duration timeout_;
  std::unique_ptr<Fabric> clock_fabric_;
  std::unique_ptr<Fabric> watch_fabric_;  ///< on which nothing is ever sent: an event there is a loss
  std::vector<std::byte> watched_bytes_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<std::byte> barrier_bytes_;
};

/// Microseconds on this rank's steady clock.
double now_us();

}  // namespace ringmark

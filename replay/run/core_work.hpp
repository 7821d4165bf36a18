// Real arithmetic on this rank's core in place of a computation: a slow processor takes longer for it.
#pragma once

#include <array>
#include <cstdint>

namespace ringmark::replay {

class CoreWork {
 public:
  /// This core's speed in turns per microsecond. Takes a few milliseconds, or longer if other processes share the core.
  static double measure_speed();

  /// `turns_per_us` is the fastest rank's speed, so that all ranks do the same work.
  explicit CoreWork(double turns_per_us) : turns_per_us_(turns_per_us) {}

  /// Does the work that takes the fastest rank `us`.
  void work(double us);
  /// All turns so far.
  std::uint64_t turns() const { return turns_; }

 private:
  void turn();

  double turns_per_us_;
  double rest_ = 0;  ///< fraction of a turn left over from earlier calls
  std::uint64_t turns_ = 0;
  std::array<double, 64> values_{};
};

}  // namespace ringmark::replay

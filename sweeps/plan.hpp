// All settings of a sweep, and the order in which they are launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sweeps/sweep.hpp"

namespace ringmark::sweep {

/// A setting: one value for each variable, in the sweep's order.
using Setting = std::vector<Value>;

/// "tcp.sockets=2 NCCL_ALGO=unset".
std::string describe(const std::vector<Variable>& variables, const Setting& setting);

/// A setting, once; `repetition` from 0.
struct PlannedLaunch {
  std::size_t point;
  int repetition;
};

/// The settings that are left after zips and exclusions. A point is a number below size(); what it stands for is
/// computed when asked, so that a large plan costs a few bytes for each.
class Plan {
 public:
  static constexpr std::uint64_t most_combinations = 10'000'000;

  /// Throws std::invalid_argument if there are more combinations than that, or if none is left.
  explicit Plan(const Sweep& sweep);

  std::size_t size() const { return combinations_.size(); }
  Setting setting(std::size_t point) const;
  /// The index of each variable's value.
  std::vector<std::size_t> indices(std::size_t point) const;
  /// All points that differ from this one on one axis only: in one variable, or in all that are zipped together.
  std::vector<std::size_t> neighbours(std::size_t point) const;
  /// The point whose variables are all unset, or else at the first of their values; the first point if that is
  /// excluded.
  std::size_t default_point() const;

  /// Every repetition is a pass over all points; in random order each pass has its own permutation, the same for the
  /// same seed on every machine. Throws BadUsage if they are more than anybody can mean.
  std::vector<PlannedLaunch> launches() const;

 private:
  /// The index on each axis.
  std::vector<std::size_t> on_axes(std::size_t point) const;
  std::optional<std::size_t> find(const std::vector<std::size_t>& on_axes) const;

  const std::vector<Variable> variables_;
  std::vector<std::size_t> axis_of_;  ///< of each variable: zipped ones share one
  std::vector<std::size_t> axis_lengths_;
  std::vector<std::uint32_t> combinations_;  ///< of each point, with the last axis running fastest
  int repetitions_;
  bool random_order_;
  std::uint64_t seed_;
};

}  // namespace ringmark::sweep

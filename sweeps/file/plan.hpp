// All settings of a sweep and the order of their launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sweeps/file/sweep.hpp"

namespace ringmark::sweep {

/// A setting: one value for each variable, in the sweep's order.
using Setting = std::vector<Value>;

/// "tcp.sockets=2 NCCL_ALGO=unset".
std::string describe(const std::vector<Variable>& variables, const Setting& setting);

/// One launch of a setting; `repetition` from 0.
struct PlannedLaunch {
  std::size_t point;
  int repetition;
};

/// The settings that remain after zips and exclusions. A point is a setting's number, below size(). Its setting is
/// computed on request, so that a large plan costs only a few bytes per point.
class Plan {
 public:
  static constexpr std::uint64_t most_combinations = 10'000'000;

  /// Throws std::invalid_argument if there are more combinations than most_combinations, or if none remains.
  explicit Plan(const Sweep& sweep);

  std::size_t size() const { return combinations_.size(); }
  Setting setting(std::size_t point) const;
  /// The index of each variable's value.
  std::vector<std::size_t> indices(std::size_t point) const;
  /// All points that differ from this one on only one axis: in one variable, or in variables that are zipped together.
  std::vector<std::size_t> neighbours(std::size_t point) const;
  /// The point whose variables are all unset, or have their first value if they are never unset; the first point if
  /// that one is excluded.
  std::size_t default_point() const;

  /// Every repetition is a pass over all points; in random order each pass has its own permutation, which depends only
  /// on the seed. Throws BadUsage if there are unreasonably many.
  std::vector<PlannedLaunch> launches() const;

 private:
  /// The index on each axis.
  std::vector<std::size_t> on_axes(std::size_t point) const;
  std::optional<std::size_t> find(const std::vector<std::size_t>& on_axes) const;

  const std::vector<Variable> variables_;
  std::vector<std::size_t> axis_of_;  ///< by variable; zipped variables share an axis
  std::vector<std::size_t> axis_lengths_;
  std::vector<std::uint32_t> combinations_;  ///< by point: number of its combination, with the last axis fastest
  int repetitions_;
  bool random_order_;
  std::uint64_t seed_;
};

}  // namespace ringmark::sweep

// Settings as points in space, where nearby settings are expected to behave alike.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "sweeps/file/plan.hpp"

namespace ringmark::sweep {

/// An ordered variable is a coordinate from 0 to 1, logarithmic if it spans a factor of eight or more; its `unset` has
/// a separate coordinate. All values of any other variable are equally far from each other.
class Space {
 public:
  Space(const Sweep& sweep, const Plan& plan);

  const Plan& plan() const { return plan_; }
  std::size_t size() const { return plan_.size(); }
  auto coordinates(std::size_t point) const { return coordinates_.col(static_cast<Eigen::Index>(point)); }
  /// The group of each coordinate; coordinates of a group share a length scale.
  const std::vector<std::size_t>& group_of() const { return group_of_; }
  std::size_t groups() const { return group_of_.empty() ? 0 : group_of_.back() + 1; }
  double squared_distance(std::size_t a, std::size_t b) const {
    return (coordinates(a) - coordinates(b)).squaredNorm();
  }

 private:
  const Plan& plan_;
  std::vector<std::size_t> group_of_;
  Eigen::MatrixXd coordinates_;  ///< a column for each point
};

}  // namespace ringmark::sweep

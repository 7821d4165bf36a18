// The median of a stretch of levels and the noise in it, kept up to date as the stretch moves on night by night.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ringmark::history {

class SlidingNoise {
 public:
  /// Moves to the levels [begin, end) of all. Cheap if it was at [begin, end - 1) or [begin - 1, end - 1).
  void move_to(std::span<const double> all, std::size_t begin, std::size_t end);

  /// Both are exactly what sorting the stretch would yield, and need at least two levels.
  double median() const;
  double noise() const;

 private:
  void fill(std::span<const double> stretch);

  std::size_t begin_ = 0, end_ = 0;
  std::vector<double> levels_, differences_;  ///< sorted
};

}  // namespace ringmark::history

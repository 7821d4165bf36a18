#include "history/questions/sliding_noise.hpp"

#include <algorithm>
#include <cmath>

#include "history/questions/split.hpp"

namespace ringmark::history {
namespace {

double middle_of(const std::vector<double>& sorted) {
  const auto size = sorted.size();
  return size % 2 == 1 ? sorted[size / 2] : (sorted[size / 2] + sorted[size / 2 - 1]) / 2;
}

void insert(std::vector<double>& sorted, double value) {
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

void erase(std::vector<double>& sorted, double value) {
  sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), value));
}

}  // namespace

void SlidingNoise::move_to(std::span<const double> all, std::size_t begin, std::size_t end) {
  const bool is_next = end == end_ + 1 && end_ > begin_ && (begin == begin_ || (begin == begin_ + 1 && begin < end_));
  if (!is_next) {
    fill(all.subspan(begin, end - begin));
  } else {
    insert(levels_, all[end - 1]);
    insert(differences_, std::abs(all[end - 1] - all[end - 2]));
    if (begin > begin_) {
      erase(levels_, all[begin_]);
      erase(differences_, std::abs(all[begin] - all[begin_]));
    }
  }
  begin_ = begin;
  end_ = end;
}

void SlidingNoise::fill(std::span<const double> stretch) {
  levels_.assign(stretch.begin(), stretch.end());
  differences_.clear();
  for (std::size_t i = 1; i < stretch.size(); ++i) differences_.push_back(std::abs(stretch[i] - stretch[i - 1]));
  std::sort(levels_.begin(), levels_.end());
  std::sort(differences_.begin(), differences_.end());
}

double SlidingNoise::median() const { return middle_of(levels_); }
double SlidingNoise::noise() const { return middle_of(differences_) / median_difference; }

}  // namespace ringmark::history

#include "history/questions/changes.hpp"

#include <algorithm>
#include <cmath>

#include "history/questions/change_shape.hpp"
#include "history/questions/change_watch.hpp"
#include "history/questions/nights.hpp"
#include "history/questions/robust_fit.hpp"
#include "history/questions/split.hpp"

namespace ringmark::history {
namespace {

double median_of(std::span<const double> levels) { return median({levels.begin(), levels.end()}); }

class Description {
 public:
  Description(std::span<const Night> nights, const ChangeOptions& options) : nights_(nights), options_(options) {
    for (const auto& night : nights) levels_.push_back(night.level);
  }

  std::vector<Change> changes(std::vector<std::size_t> starts) {
    starts.push_back(levels_.size());
    starts_ = std::move(starts);
    place_again();
    while (drop_weakest()) place_again();
    std::vector<Change> found;
    for (std::size_t i = 1; i + 1 < starts_.size();) {
      const std::size_t next = end_of_direction(i);
      const auto ramp = ramp_over(i, next);
      if (ramp) {
        found.push_back(*ramp);
      } else {
        for (std::size_t k = i; k < next; ++k) found.push_back(step(k));
      }
      i = next;
    }
    const double least = std::log1p(options_.least_percent / 100);
    std::erase_if(found, [&](const Change& change) { return std::abs(std::log(change.ratio)) < least; });
    return found;
  }

 private:
  std::span<const double> levels(std::size_t begin, std::size_t end) const {
    return std::span(levels_).subspan(begin, end - begin);
  }

  /// Places each change by all nights around it; the watch knew only the earlier ones.
  void place_again() {
    for (std::size_t i = 1; i + 1 < starts_.size(); ++i) {
      const std::size_t begin = starts_[i - 1], end = starts_[i + 1];
      const auto split = best_split(levels(begin, end), least_noise(options_));
      if (split) starts_[i] = begin + best_place(levels(begin, end), split->first, least_nights, noise(begin, end));
    }
  }

  /// Drops the change that noise alone would raise most often, if that is more than ten times as often as allowed: a
  /// later change may explain most of what an earlier one was raised for.
  bool drop_weakest() {
    constexpr double many = 10;
    std::size_t weakest = 0;
    double largest = many * options_.false_alarms_per_year;
    for (std::size_t i = 1; i + 1 < starts_.size(); ++i) {
      const double alarms = false_alarms_per_year(i);
      if (alarms <= largest) continue;
      largest = alarms;
      weakest = i;
    }
    if (weakest > 0) starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(weakest));
    return weakest > 0;
  }

  double level(std::size_t i) const { return median_of(levels(starts_[i], starts_[i + 1])); }

  /// The first of the starts after `i` at which the level changes in the other direction.
  std::size_t end_of_direction(std::size_t i) const {
    const bool rises = level(i) > level(i - 1);
    std::size_t next = i + 1;
    while (next + 1 < starts_.size() && (level(next) > level(next - 1)) == rises) ++next;
    return next;
  }

  double noise(std::size_t begin, std::size_t end) const {
    return std::max(least_noise(options_), noise_of(levels(begin, end)));
  }

  /// One ramp for the changes [i, next), fitted to a limited number of nights on both sides.
  std::optional<Change> ramp_over(std::size_t i, std::size_t next) const {
    constexpr std::size_t most = 120;
    const std::size_t begin = std::max(starts_[i - 1], starts_[i] - std::min(starts_[i], most));
    const std::size_t end = std::min(starts_[next], starts_[next - 1] + most);
    std::vector<std::size_t> steps;
    for (std::size_t k = i; k < next; ++k) steps.push_back(starts_[k] - begin);
    const auto ramp = ramp_instead_of(nights_.subspan(begin, end - begin), steps, noise(begin, end));
    if (!ramp) return std::nullopt;
    double p = 1;
    for (std::size_t k = i; k < next; ++k) p = std::min(p, p_of(k));
    // The first night of a ramp is still at the old level.
    return change(Change::Kind::drift, begin + ramp->begin + 1, begin + ramp->end, ramp->fit, p);
  }

  Change step(std::size_t i) const {
    const std::size_t begin = starts_[i - 1], end = starts_[i + 1];
    std::vector<double> shape(end - begin, 0);
    std::fill(shape.begin() + static_cast<std::ptrdiff_t>(starts_[i] - begin), shape.end(), 1.0);
    const auto fit = fit_shape(levels(begin, end), shape, noise(begin, end));
    return change(Change::Kind::step, starts_[i], starts_[i], fit, p_of(i));
  }

  Change change(Change::Kind kind, std::size_t first, std::size_t last, const RobustFit& fit, double p) const {
    constexpr double normal_quantile = 1.96;
    const double off = normal_quantile * fit.error;
    return {nights_[first].first,
            nights_[last].first,
            kind,
            std::exp(fit.change),
            {std::exp(fit.change - off), std::exp(fit.change + off)},
            p};
  }

  /// How often noise alone would raise an alarm as strong as that of the change at this start.
  double false_alarms_per_year(std::size_t i) const {
    const auto around = levels(starts_[i - 1], starts_[i + 1]);
    const double p = split_at(around, starts_[i] - starts_[i - 1], least_noise(options_)).p;
    return history::false_alarms_per_year(p, nights_, options_);
  }
  double p_of(std::size_t i) const { return -std::expm1(-false_alarms_per_year(i)); }

  std::span<const Night> nights_;
  const ChangeOptions& options_;
  std::vector<double> levels_;
  std::vector<std::size_t> starts_;
};

}  // namespace

std::vector<Change> changes_in(std::span<const Point> points, const ChangeOptions& options) {
  const auto nights = nights_of(points, options.same_night);
  ChangeWatch watch(options);
  for (const auto& night : nights) watch.add(night);
  if (watch.starts().size() < 2) return {};
  return Description(nights, options).changes(watch.starts());
}

}  // namespace ringmark::history

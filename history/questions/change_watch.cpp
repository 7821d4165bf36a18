#include "history/questions/change_watch.hpp"

#include <algorithm>
#include <cmath>

namespace ringmark::history {
namespace {

/// Of each stretch, only this many of the latest nights are considered: more than a year.
constexpr std::size_t most_nights = 400;
/// A change is withdrawn if later levels raise its p above this.
constexpr double withdrawn_at = 0.01;
/// For this many nights after a change, its place is estimated again, with more nights each time.
constexpr std::size_t new_nights = 20;
/// A change that has lasted for this long is no longer withdrawn.
constexpr std::size_t settled_nights = 100;

constexpr double day = 24 * 3600, year = 365.25 * day;

/// A change must also be significant at this level by the ranks alone, since the scores rest on more assumptions.
constexpr double rank_level = 0.001;

/// The time whose share of false alarms a look may spend: the seconds since the last look, at most a day.
double seconds_between(std::chrono::sys_seconds last, std::chrono::sys_seconds now) {
  return std::min(day, std::chrono::duration<double>(now - last).count());
}

// Fitted to simulations with autocorrelation of 0.3. A look tries many splits, most of which earlier looks have tried,
// too. The power allows for errors in the estimated autocorrelation, which matter more the smaller p is.
constexpr double alarms_at_one = 0.9, alarms_power = 0.83;

double median_of(std::span<const double> levels) { return median({levels.begin(), levels.end()}); }

}  // namespace

double false_alarms_at(double p) { return alarms_at_one * std::pow(p, alarms_power); }

double p_with(double false_alarms) {
  constexpr double least = 1e-300;
  return std::clamp(std::pow(false_alarms / alarms_at_one, 1 / alarms_power), least, 1.0);
}

double false_alarms_per_year(double p, std::span<const Night> nights, const ChangeOptions& options) {
  std::vector<double> seconds{day};
  for (std::size_t i = 1; i < nights.size(); ++i)
    seconds.push_back(seconds_between(nights[i - 1].time, nights[i].time));
  const double looks = year / std::max(1.0, median(std::move(seconds)));
  return false_alarms_at(p) * looks * static_cast<double>(std::max<std::size_t>(1, options.series));
}

double least_noise(const ChangeOptions& options) { return std::log1p(options.least_percent / 100) / 10; }

ChangeWatch::ChangeWatch(const ChangeOptions& options) : options_(options) {}

bool ChangeWatch::add(const Night& night) {
  const double seconds = levels_.empty() ? day : seconds_between(last_, night.time);
  const double false_alarms =
      options_.false_alarms_per_year * seconds / year / static_cast<double>(std::max<std::size_t>(1, options_.series));
  last_ = night.time;
  levels_.push_back(night.level);
  if (starts_.empty()) starts_.push_back(0);
  place_again();
  withdraw_what_does_not_hold();
  const auto levels = stretch(starts_.back());
  if (levels.size() < 2 * least_nights) return false;
  noise_.move_to(levels_, levels_.size() - levels.size(), levels_.size());
  const double noise = std::max(least_noise(options_), noise_.noise());
  if (!may_split(levels, noise_.median(), noise, p_with(false_alarms))) return false;
  const auto split = best_split(levels, least_noise(options_));
  if (!split || !is_alarm(*split, levels, false_alarms)) return false;
  starts_.push_back(levels_.size() - levels.size() + split->first);
  return true;
}

std::span<const double> ChangeWatch::stretch(std::size_t start) const {
  const auto levels = std::span(levels_).subspan(start);
  return levels.last(std::min(levels.size(), most_nights));
}

bool ChangeWatch::is_alarm(const Split& split, std::span<const double> levels, double false_alarms) const {
  if (false_alarms_at(split.p) > false_alarms) return false;
  const double change = median_of(levels.subspan(split.first)) - median_of(levels.first(split.first));
  if (std::abs(change) < std::log1p(options_.least_percent / 100)) return false;
  return rank_p(levels, split.first) <= std::max(rank_level, false_alarms);
}

void ChangeWatch::place_again() {
  if (starts_.size() < 2 || levels_.size() - starts_.back() > new_nights) return;
  const std::size_t begin = begin_before_last();
  const auto split = best_split(std::span(levels_).subspan(begin), least_noise(options_));
  if (split) starts_.back() = begin + split->first;
}

std::size_t ChangeWatch::begin_before_last() const {
  const std::size_t start = starts_.back();
  return std::max(starts_[starts_.size() - 2], start - std::min(start, most_nights));
}

void ChangeWatch::withdraw_what_does_not_hold() {
  while (starts_.size() > 1 && levels_.size() - starts_.back() < settled_nights) {
    const std::size_t begin = begin_before_last();
    if (split_at(std::span(levels_).subspan(begin), starts_.back() - begin, least_noise(options_)).p <= withdrawn_at)
      return;
    starts_.pop_back();
  }
}

}  // namespace ringmark::history

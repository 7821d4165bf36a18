// How often the search for changes errs, by simulation: history-trials SERIES_YEARS TRIALS [NOISE...] prints false
// alarms of a cluster in a year of daily launches, and the shares of steps and drifts of 5 % that were found in time.
// NOISE is independent, autocorrelated, outliers or both; all of them by default, each with the same draws as alone.
// docs/evidence/history-changes.md shows what it printed.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "history/questions/change_watch.hpp"
#include "history/questions/changes.hpp"

namespace {

using namespace ringmark::history;

constexpr std::size_t days_before = 60, days_of_drift = 30, days_to_find = 7, days_of_year = 365;
const double size = std::log(1.05);

struct Noise {
  std::string_view name;
  double autocorrelation, outliers;
};

/// Daily launches whose logarithms scatter normally. An outlier is 10 to 50 % slower.
class Launches {
 public:
  Launches(const Noise& noise, double percent, std::mt19937_64& random)
      : noise_(noise), deviation_(percent / 100), random_(random), state_(normal_(random)) {}

  Point draw(double shift) {
    const double phi = noise_.autocorrelation;
    state_ = phi * state_ + std::sqrt(1 - phi * phi) * normal_(random_);
    const double slow = uniform_(random_) < noise_.outliers ? std::log(1.1 + 0.4 * uniform_(random_)) : 0;
    return {std::chrono::sys_days{std::chrono::days(day_++)}, 100 * std::exp(deviation_ * state_ + shift + slow)};
  }

 private:
  Noise noise_;
  double deviation_;
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double state_;
  int day_ = 0;
};

Night night_of(const Point& point) { return {point.time, std::log(point.value), 0}; }

class Trials {
 public:
  Trials(const Noise& noise, double percent, std::size_t series, std::mt19937_64& random)
      : noise_(noise), percent_(percent), options_{.series = series}, random_(random) {}

  double false_alarms_per_year(std::size_t series_years) {
    std::size_t alarms = 0;
    for (std::size_t i = 0; i < series_years; ++i) {
      Launches launches(noise_, percent_, random_);
      ChangeWatch watch(options_);
      for (std::size_t day = 0; day < days_of_year; ++day) alarms += watch.add(night_of(launches.draw(0)));
    }
    return static_cast<double>(alarms * options_.series) / static_cast<double>(series_years);
  }

  double steps_found(int trials) {
    int found = 0;
    for (int i = 0; i < trials; ++i) {
      found += is_found(days_to_find, [](std::size_t) { return size; });
    }
    return share(found, trials);
  }

  /// The shares that were found, and that were called a drift.
  std::pair<double, double> drifts_found(int trials) {
    int found = 0, called = 0;
    for (int i = 0; i < trials; ++i) {
      points_.clear();
      found += is_found(days_of_drift + days_to_find, [](std::size_t day) {
        return size * std::min(1.0, static_cast<double>(day + 1) / static_cast<double>(days_of_drift));
      });
      for (const auto& change : changes_in(points_, options_)) called += change.kind == Change::Kind::drift;
    }
    return {share(found, trials), share(called, trials)};
  }

 private:
  static double share(int part, int all) { return 100.0 * part / all; }

  bool is_found(std::size_t days, const std::function<double(std::size_t)>& shift) {
    Launches launches(noise_, percent_, random_);
    ChangeWatch watch(options_);
    points_.clear();
    bool found = false;
    for (std::size_t day = 0; day < days_before + days; ++day) {
      points_.push_back(launches.draw(day < days_before ? 0 : shift(day - days_before)));
      const bool alarm = watch.add(night_of(points_.back()));
      found = found || (alarm && day >= days_before);
    }
    return found;
  }

  Noise noise_;
  double percent_;
  ChangeOptions options_;
  std::mt19937_64& random_;
  std::vector<Point> points_;
};

constexpr std::array<Noise, 4> noises{
    {{"independent", 0, 0}, {"autocorrelated", 0.3, 0}, {"outliers", 0, 0.05}, {"both", 0.3, 0.05}}};

void print_rows(const Noise& noise, std::size_t series_years, int trials) {
  std::mt19937_64 random(1);
  for (const double percent : {0.5, 1.0, 2.0, 3.0}) {
    for (const std::size_t series : {1, 10, 30}) {
      Trials draws(noise, percent, series, random);
      const double alarms = draws.false_alarms_per_year(series_years), steps = draws.steps_found(trials);
      const auto [drifts, called] = draws.drifts_found(trials);
      fmt::print("{:<14}  {:>7}  {:>6}  {:>19.2f}  {:>7.1f}  {:>8.1f}  {:>14.1f}\n", noise.name, percent, series,
                 alarms, steps, drifts, called);
      std::fflush(stdout);  // rows take minutes, and the output may be a file
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "history-trials SERIES_YEARS TRIALS [NOISE...]\n");
    return 2;
  }
  const std::size_t series_years = std::strtoul(argv[1], nullptr, 10);
  const int trials = std::atoi(argv[2]);
  const std::set<std::string_view> chosen(argv + 3, argv + argc);
  fmt::print("{} years of a series, {} steps and {} drifts of 5 % a row, {} days before them\n\n", series_years, trials,
             trials, days_before);
  fmt::print("noise           percent  series  false alarms a year  steps %  drifts %  called drift %\n");
  for (const auto& noise : noises) {
    if (chosen.empty() || chosen.count(noise.name) > 0) print_rows(noise, series_years, trials);
  }
}

#include "history/questions/change_shape.hpp"

#include <algorithm>
#include <cmath>

#include "history/questions/split.hpp"

namespace ringmark::history {
namespace {

constexpr std::size_t least_ramp = 10;  ///< nights; a faster change is a step

std::vector<double> ramp_shape(std::span<const Night> nights, std::size_t begin, std::size_t end) {
  const std::chrono::duration<double> length = nights[end].time - nights[begin].time;
  std::vector<double> shape;
  shape.reserve(nights.size());
  for (const auto& night : nights) {
    const std::chrono::duration<double> since = night.time - nights[begin].time;
    shape.push_back(std::clamp(since / length, 0.0, 1.0));
  }
  return shape;
}

double cost_of_steps(std::span<const double> levels, std::span<const std::size_t> steps, double noise) {
  double cost = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= steps.size(); ++i) {
    const std::size_t end = i < steps.size() ? steps[i] : levels.size();
    cost += cost_of_level(levels.subspan(start, end - start), noise);
    start = end;
  }
  return cost;
}

/// Places to try, including the first and the last.
std::vector<std::size_t> places(std::size_t first, std::size_t last, std::size_t apart) {
  std::vector<std::size_t> found;
  for (std::size_t i = first; i < last; i += apart) found.push_back(i);
  found.push_back(last);
  return found;
}

class RampSearch {
 public:
  RampSearch(std::span<const Night> nights, std::span<const double> levels, double noise)
      : nights_(nights), levels_(levels), noise_(noise) {}

  void try_ramps(const std::vector<std::size_t>& begins, const std::vector<std::size_t>& ends) {
    for (const auto begin : begins) {
      for (const auto end : ends) {
        if (end < begin + least_ramp) continue;
        const auto fit = fit_shape(levels_, ramp_shape(nights_, begin, end), noise_);
        if (!best_ || fit.cost < best_->fit.cost) best_ = Ramp{begin, end, fit};
      }
    }
  }
  const std::optional<Ramp>& best() const { return best_; }

 private:
  std::span<const Night> nights_;
  std::span<const double> levels_;
  double noise_;
  std::optional<Ramp> best_;
};

}  // namespace

std::optional<Ramp> ramp_instead_of(std::span<const Night> nights, std::span<const std::size_t> steps, double noise) {
  if (nights.size() <= least_ramp) return std::nullopt;
  std::vector<double> levels;
  for (const auto& night : nights) levels.push_back(night.level);
  // A coarse search, then a fine one around its best.
  constexpr std::size_t tries = 12;
  const std::size_t last = nights.size() - 1, apart = std::max<std::size_t>(1, last / tries);
  RampSearch search(nights, levels, noise);
  const auto all = places(0, last, apart);
  search.try_ramps(all, all);
  if (!search.best()) return std::nullopt;
  for (std::size_t step = apart; step > 1;) {
    step = (step + 1) / 2;
    const auto around = [&](std::size_t at) {
      return places(at > step ? at - step : 0, std::min(at + step, last), step);
    };
    const auto begin = search.best()->begin, end = search.best()->end;
    search.try_ramps(around(begin), around(end));
  }
  // A ramp has two levels and two places; n steps have n places and n + 1 levels. Since a ramp can imitate any single
  // step, it is charged for one parameter more.
  constexpr std::size_t of_ramp = 5;
  const std::size_t of_steps = 2 * steps.size() + 1;
  const double price = std::log(static_cast<double>(nights.size()));
  const auto priced = [&](double cost, std::size_t parameters) {
    return cost + price * static_cast<double>(parameters);
  };
  if (priced(search.best()->fit.cost, of_ramp) >= priced(cost_of_steps(levels, steps, noise), of_steps))
    return std::nullopt;
  return search.best();
}

}  // namespace ringmark::history

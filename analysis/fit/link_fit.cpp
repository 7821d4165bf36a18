#include "analysis/fit/link_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {
namespace {

/// The launch time of a collective with the Simple protocol in NCCL's own tuning model, and how far real ones deviate
/// from it (logarithm).
constexpr double usual_launch_us = 8.4, launch_spread = 0.3;
/// How far measured times scatter around those of the true link (logarithm).
constexpr double spread_of_times = 0.05;
/// A series has stopped growing if its last size improves the bus bandwidth by no more than this factor.
constexpr double settled = 1.05;
/// An increase of badness() that measurement noise does not explain.
constexpr double noticeably_worse = 4;

/// The bytes that cross each link of a ring.
double ring_bytes(const MeasuredCollective& each) {
  const auto whole =
      static_cast<double>(largest_buffer_bytes(replay::operation_of(each.event, each.ranks), each.ranks));
  const int passes = each.event.collective == Collective::all_reduce ? 2 : 1;
  return whole * passes * (each.ranks - 1) / each.ranks;
}

/// The upper limit of the fitted links: the largest bus bandwidth in any series. If a series still grows at its end,
/// includes the bandwidth at which the additional bytes of its last size moved.
double largest_shown_GBps(const std::vector<MeasuredCollective>& some) {
  std::map<std::pair<Collective, int>, std::map<double, std::vector<double>>> series;  // times by bytes
  for (const auto& each : some) series[{each.event.collective, each.ranks}][ring_bytes(each)].push_back(each.time_us);
  double most = 0;
  for (auto& [key, sizes] : series) {
    double bytes_before = 0, us_before = 0, GBps = 0;
    for (auto& [bytes, times] : sizes) {
      std::sort(times.begin(), times.end());
      const double us = median(times), GBps_before = std::exchange(GBps, bytes / us / 1e3);
      most = std::max(most, GBps);
      const bool is_last = bytes == sizes.rbegin()->first, grows = GBps > settled * GBps_before;
      if (is_last && grows && us > us_before) most = std::max(most, (bytes - bytes_before) / (us - us_before) / 1e3);
      bytes_before = bytes;
      us_before = us;
    }
  }
  return most;
}

}  // namespace

LinkFit::LinkFit(const std::vector<MeasuredCollective>& some, LinksOf links_of, std::optional<double> launch_us)
    : some_(some),
      links_of_(std::move(links_of)),
      launch_is_known_(launch_us.has_value()),
      most_GBps_(largest_shown_GBps(some)) {
  constexpr double initial_alpha_us = 5, first_step = 0.5;
  double least = std::numeric_limits<double>::infinity();
  for (const double initial_GBps : {10.0, 100.0, 1000.0}) {
    const Figures from{std::log(initial_alpha_us), std::log(std::min(initial_GBps, most_GBps_)),
                       std::log(launch_us.value_or(usual_launch_us))};
    const auto found = search(from, first_step);
    if (badness(found) < least) least = badness(figures_ = found);
  }
  take_larger_GBps(least);
}

replay::Link LinkFit::link() const { return {std::exp(figures_[alpha_at]), std::exp(figures_[GBps_at])}; }

double LinkFit::launch_us() const { return std::exp(figures_[launch_at]); }

FitLink LinkFit::fitted() const {
  FitLink result{.alpha_us = {}, .GBps = link().GBps};
  constexpr double much = 0.7;  // twice, or half
  const auto moved = [&](double by) {
    auto others = figures_;
    others[alpha_at] += by;
    return badness(others) - badness(figures_);
  };
  if (std::min(moved(-much), moved(much)) > noticeably_worse) result.alpha_us = link().alpha_us;
  return result;
}

double LinkFit::median_error() const {
  std::vector<double> errors;
  for (const auto& each : some_) errors.push_back(std::abs(time_us(each, figures_) / each.time_us - 1));
  std::sort(errors.begin(), errors.end());
  return median(errors);
}

std::optional<double> LinkFit::median_miss(Collective collective) const {
  std::vector<double> misses;
  for (const auto& each : some_) {
    if (each.event.collective == collective) misses.push_back(time_us(each, figures_) / each.time_us - 1);
  }
  if (misses.empty()) return std::nullopt;
  std::sort(misses.begin(), misses.end());
  return median(misses);
}

double LinkFit::time_us(const MeasuredCollective& each, const Figures& at) const {
  auto links = links_of_({std::exp(at[alpha_at]), std::exp(at[GBps_at])}, std::exp(at[launch_at]));
  links.ranks_per_node = each.ranks_per_node();
  links.has_LL128_between = true;
  return replay::make_network(links)->time(each.event, {}, each.ranks).total_us;
}

/// Squared residuals in units of their usual spread; outliers count only linearly (Huber).
double LinkFit::badness(const Figures& at) const {
  constexpr double far = 2.5;
  // Where another link is the bottleneck, many bandwidths fit equally well: prefer the smallest.
  constexpr double weight_of_size = 0.01;
  double sum = std::pow((at[launch_at] - std::log(usual_launch_us)) / launch_spread, 2) + weight_of_size * at[GBps_at];
  for (const auto& each : some_) {
    const double off = std::abs(std::log(time_us(each, at) / each.time_us)) / spread_of_times;
    sum += off <= far ? off * off : far * (2 * off - far);
  }
  return sum;
}

/// Coordinate descent from `from`, in ever smaller steps.
LinkFit::Figures LinkFit::search(Figures from, double step) const {
  double least = badness(from);
  const auto moves = [&](std::size_t figure, double by) {
    auto others = from;
    others[figure] += by;
    if (others[GBps_at] > std::log(most_GBps_)) return false;
    const double badness_there = badness(others);
    if (badness_there >= least) return false;
    least = badness_there;
    from = others;
    return true;
  };
  const std::size_t searched = launch_is_known_ ? launch_at : figures_.size();
  constexpr double last_step = 1e-3;
  while (step > last_step) {
    bool is_better = false;
    for (std::size_t figure = 0; figure < searched; ++figure) {
      if (moves(figure, step) || moves(figure, -step)) is_better = true;
    }
    if (!is_better) step /= 2;
  }
  return from;
}

/// Two nodes may be as fast with a tree over a slower network as with a ring over a faster one. Takes the larger
/// bandwidth if it explains the times about as well, unless the times do not depend on it at all.
void LinkFit::take_larger_GBps(double least) {
  constexpr int steps = 22;  // up to three times as much
  constexpr double step = 0.05;
  const auto with = [&](int more) {
    auto others = figures_;
    others[GBps_at] += more * step;
    return others;
  };
  const auto is_alike = [&](int more) { return badness(with(more)) < least + noticeably_worse; };
  if (is_alike(steps)) return;
  int more = steps - 1;
  while (more > 0 && (with(more)[GBps_at] > std::log(most_GBps_) || !is_alike(more))) --more;
  figures_ = search(with(more), step / 2);
}

}  // namespace ringmark::analysis

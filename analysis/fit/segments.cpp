#include "analysis/fit/segments.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/fit/launch_scatter.hpp"
#include "replay/predict/fit_prediction.hpp"

namespace ringmark::analysis {
namespace {

Line line_through(const Observations& some) {
  std::vector<Point> points;
  for (const auto& each : some) points.push_back(each.point);
  return fit_line(points);
}

/// Bayesian information criterion of lines with this sum of squares, up to a constant. A break counts as five
/// parameters, since its place is the best of many.
double criterion(double squares, std::size_t points, std::size_t lines) {
  const auto n = static_cast<double>(points);
  constexpr double least = 1e-12;  // data without any noise
  const double parameters = 2 * static_cast<double>(lines) + 5 * static_cast<double>(lines - 1);
  return n * std::log(std::max(squares / n, least)) + parameters * std::log(n);
}

/// Sorts by message size and cuts into at most three segments, only between different message sizes.
std::vector<Observations> segments_of(Observations all) {
  constexpr std::size_t least = 4;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.message() < b.message(); });
  const auto part = [&](std::size_t from, std::size_t to) {
    return Observations(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  std::vector<std::size_t> places;
  for (std::size_t at = least; at + least <= all.size(); ++at) {
    if (all[at].message() > all[at - 1].message() * 1.01) places.push_back(at);
  }
  // With very many sizes, some of the possible cuts are enough.
  constexpr std::size_t most_places = 24;
  const std::size_t stride = (places.size() + most_places - 1) / most_places;
  std::vector<std::size_t> cuts_to_try;
  for (std::size_t i = 0; i < places.size(); i += stride) cuts_to_try.push_back(places[i]);
  std::vector<std::size_t> best_cuts;
  double best = criterion(line_through(all).squares, all.size(), 1);
  std::map<std::pair<std::size_t, std::size_t>, double> known;
  const auto squares = [&](std::size_t from, std::size_t to) {
    const auto [found, is_new] = known.try_emplace({from, to}, 0);
    if (is_new) found->second = line_through(part(from, to)).squares;
    return found->second;
  };
  const auto consider = [&](std::vector<std::size_t> cuts) {
    double sum = 0;
    std::size_t from = 0;
    for (const auto cut : cuts) sum += squares(from, cut), from = cut;
    sum += squares(from, all.size());
    const double value = criterion(sum, all.size(), cuts.size() + 1);
    if (value < best) best = value, best_cuts = std::move(cuts);
  };
  for (const auto first : cuts_to_try) {
    consider({first});
    for (const auto second : cuts_to_try) {
      if (second >= first + least) consider({first, second});
    }
  }
  std::vector<Observations> segments;
  std::size_t from = 0;
  best_cuts.push_back(all.size());
  for (const auto cut : best_cuts) segments.push_back(part(from, cut)), from = cut;
  return segments;
}

FitSegment as_segment(const Observations& some, const Line& line) {
  return {some.front().message(), some.back().message(), line.alpha_us,         line.beta_us_per_byte,
          line.alpha_ci,          line.beta_ci,          100 * line.residual(), static_cast<int>(some.size())};
}

}  // namespace

std::vector<FitSegment> fit_segments(const Observations& all) {
  std::vector<FitSegment> segments;
  for (const auto& some : segments_of(all)) {
    auto line = line_through(some);
    hold_launches(some, line);
    segments.push_back(as_segment(some, line));
  }
  return segments;
}

double squares_left(const Observations& all) {
  double squares = 0;
  for (const auto& part : segments_of(all)) squares += line_through(part).squares;
  return squares;
}

double time_by(const std::vector<FitSegment>& segments, const Observation& each) {
  return time_us_by(segments, each.point.steps, each.point.bytes);
}

std::optional<HeldOut> held_out(const Observations& all, const std::function<std::uint64_t(const Observation&)>& key,
                                std::size_t least_left) {
  std::set<std::uint64_t> values;
  for (const auto& each : all) values.insert(key(each));
  if (values.size() < 2) return std::nullopt;
  constexpr std::size_t most = 20;
  const std::size_t stride = (values.size() + most - 1) / most;
  std::vector<double> errors;
  std::size_t index = 0;
  for (const auto value : values) {
    if (index++ % stride != 0) continue;
    Observations rest, left_out;
    for (const auto& each : all) (key(each) == value ? left_out : rest).push_back(each);
    if (rest.size() < least_left) return std::nullopt;
    std::vector<FitSegment> segments;  // without intervals
    for (const auto& some : segments_of(rest)) segments.push_back(as_segment(some, line_through(some)));
    for (const auto& each : left_out)
      errors.push_back(100 * std::abs(time_by(segments, each) / each.point.time_us - 1));
  }
  const Sorted sorted(errors);
  return HeldOut{sorted.median(), sorted.max(), static_cast<int>(errors.size())};
}

}  // namespace ringmark::analysis

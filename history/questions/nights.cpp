#include "history/questions/nights.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

void check(std::span<const Point> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(points[i].value > 0) || std::isinf(points[i].value))
      throw BadUsage(fmt::format("launch {} of the series took {} us; leave it out", i + 1, points[i].value));
    if (i > 0 && points[i].time < points[i - 1].time)
      throw BadUsage(
          fmt::format("launch {} of the series is earlier than the one before it; sort them by time", i + 1));
  }
}

double log_median(std::span<const Point> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const auto& point : points) values.push_back(point.value);
  return std::log(median(std::move(values)));
}

}  // namespace

std::vector<Night> nights_of(std::span<const Point> points, std::chrono::seconds length) {
  check(points);
  std::vector<Night> nights;
  for (std::size_t first = 0, end = 0; first < points.size(); first = end) {
    while (end < points.size() && points[end].time - points[first].time <= length) ++end;
    nights.push_back({points[first].time, log_median(points.subspan(first, end - first)), first});
  }
  return nights;
}

}  // namespace ringmark::history

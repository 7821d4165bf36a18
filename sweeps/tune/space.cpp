#include "sweeps/tune/space.hpp"

#include <algorithm>
#include <cmath>

#include "base/flags/option.hpp"

namespace ringmark::sweep {
namespace {

double number_of(const std::string& text) {
  double number = 0;
  if (read_number(text, -1e300, 1e300, number)) return number;
  return static_cast<double>(parse_size(text).value_or(0));
}

/// Position from 0 to 1; `unset` is in the middle.
std::vector<double> coordinates_of(const std::vector<Value>& values) {
  double least = INFINITY, most = -INFINITY;
  for (const auto& value : values) {
    if (!value) continue;
    least = std::min(least, number_of(*value));
    most = std::max(most, number_of(*value));
  }
  const bool logarithmic = least > 0 && most >= 8 * least;
  const auto scaled = [&](double number) { return logarithmic ? std::log(number) : number; };
  std::vector<double> coordinates;
  for (const auto& value : values) {
    const double width = scaled(most) - scaled(least);
    coordinates.push_back(value && width > 0 ? (scaled(number_of(*value)) - scaled(least)) / width : 0.5);
  }
  return coordinates;
}

}  // namespace

Space::Space(const Sweep& sweep, const Plan& plan) : plan_(plan) {
  // Coordinates by variable and value.
  std::vector<std::vector<std::vector<double>>> places;
  for (const auto& variable : sweep.variables) {
    const auto& values = variable.values;
    const auto unset = std::count(values.begin(), values.end(), std::nullopt);
    auto& place = places.emplace_back(values.size());
    if (variable.ordered && std::ssize(values) - unset >= 2) {
      const auto numbers = coordinates_of(values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        place[i].push_back(numbers[i]);
        if (unset > 0) place[i].push_back(values[i] ? 0 : 1);
      }
      group_of_.push_back(groups());
      if (unset > 0) group_of_.push_back(groups());
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        place[i].assign(values.size(), 0);
        place[i][i] = std::sqrt(0.5);
      }
      group_of_.insert(group_of_.end(), values.size(), groups());
    }
  }
  coordinates_.resize(static_cast<Eigen::Index>(group_of_.size()), static_cast<Eigen::Index>(plan.size()));
  for (std::size_t point = 0; point < plan.size(); ++point) {
    const auto indices = plan.indices(point);
    Eigen::Index row = 0;
    for (std::size_t v = 0; v < places.size(); ++v) {
      for (const double coordinate : places[v][indices[v]])
        coordinates_(row++, static_cast<Eigen::Index>(point)) = coordinate;
    }
  }
}

}  // namespace ringmark::sweep

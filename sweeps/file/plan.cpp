#include "sweeps/file/plan.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

struct Condition {
  std::size_t variable;
  std::vector<bool> is_hit;  ///< by index of the value
};

std::vector<std::vector<Condition>> conditions_of(const Sweep& sweep) {
  std::vector<std::vector<Condition>> all;
  for (const auto& exclusion : sweep.exclusions) {
    auto& conditions = all.emplace_back();
    for (const auto& [name, values] : exclusion) {
      for (std::size_t v = 0; v < sweep.variables.size(); ++v) {
        if (sweep.variables[v].name != name) continue;
        Condition condition{v, {}};
        for (const auto& value : sweep.variables[v].values)
          condition.is_hit.push_back(std::find(values.begin(), values.end(), value) != values.end());
        conditions.push_back(std::move(condition));
      }
    }
  }
  return all;
}

}  // namespace

std::string describe(const std::vector<Variable>& variables, const Setting& setting) {
  std::vector<std::string> words;
  for (std::size_t v = 0; v < variables.size(); ++v) words.push_back(variables[v].name + "=" + to_text(setting[v]));
  return words.empty() ? "the only setting" : fmt::format("{}", fmt::join(words, " "));
}

Plan::Plan(const Sweep& sweep)
    : variables_(sweep.variables),
      repetitions_(sweep.repetitions),
      random_order_(sweep.random_order),
      seed_(sweep.seed) {
  std::vector<std::size_t> axis_of_zip(sweep.zips.size(), SIZE_MAX);
  for (const auto& variable : variables_) {
    std::size_t* shared = nullptr;
    for (std::size_t z = 0; z < sweep.zips.size(); ++z) {
      const auto& zip = sweep.zips[z];
      if (std::find(zip.begin(), zip.end(), variable.name) != zip.end()) shared = &axis_of_zip[z];
    }
    if (shared == nullptr || *shared == SIZE_MAX) {
      if (shared != nullptr) *shared = axis_lengths_.size();
      axis_of_.push_back(axis_lengths_.size());
      axis_lengths_.push_back(variable.values.size());
    } else {
      axis_of_.push_back(*shared);
    }
  }
  std::uint64_t combinations = 1;
  for (const auto length : axis_lengths_) {
    combinations *= length;
    if (combinations > most_combinations)
      throw std::invalid_argument(
          fmt::format("variables: more than {} combinations; give fewer values, zip some, or tune instead of run",
                      most_combinations));
  }
  const auto exclusions = conditions_of(sweep);
  std::vector<std::size_t> at(axis_lengths_.size(), 0);
  for (std::uint64_t c = 0; c < combinations; ++c) {
    const bool excluded = std::any_of(exclusions.begin(), exclusions.end(), [&](const auto& conditions) {
      return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
        return condition.is_hit[at[axis_of_[condition.variable]]];
      });
    });
    if (!excluded) combinations_.push_back(static_cast<std::uint32_t>(c));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < axis_lengths_[axis]) break;
      at[axis] = 0;
    }
  }
  if (combinations_.empty()) throw std::invalid_argument("exclude: no setting is left; exclude fewer combinations");
}

std::vector<std::size_t> Plan::on_axes(std::size_t point) const {
  std::vector<std::size_t> at(axis_lengths_.size());
  std::uint64_t rest = combinations_[point];
  for (std::size_t axis = at.size(); axis-- > 0;) {
    at[axis] = rest % axis_lengths_[axis];
    rest /= axis_lengths_[axis];
  }
  return at;
}

std::optional<std::size_t> Plan::find(const std::vector<std::size_t>& on_axes) const {
  std::uint32_t combination = 0;
  for (std::size_t axis = 0; axis < on_axes.size(); ++axis)
    combination = static_cast<std::uint32_t>(combination * axis_lengths_[axis] + on_axes[axis]);
  const auto found = std::lower_bound(combinations_.begin(), combinations_.end(), combination);
  if (found == combinations_.end() || *found != combination) return std::nullopt;
  return static_cast<std::size_t>(found - combinations_.begin());
}

std::vector<std::size_t> Plan::indices(std::size_t point) const {
  const auto at = on_axes(point);
  std::vector<std::size_t> indices;
  for (const auto axis : axis_of_) indices.push_back(at[axis]);
  return indices;
}

Setting Plan::setting(std::size_t point) const {
  const auto at = indices(point);
  Setting setting;
  for (std::size_t v = 0; v < variables_.size(); ++v) setting.push_back(variables_[v].values[at[v]]);
  return setting;
}

std::vector<std::size_t> Plan::neighbours(std::size_t point) const {
  std::vector<std::size_t> points;
  auto at = on_axes(point);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const auto here = at[axis];
    for (at[axis] = 0; at[axis] < axis_lengths_[axis]; ++at[axis]) {
      if (at[axis] == here) continue;
      if (const auto found = find(at)) points.push_back(*found);
    }
    at[axis] = here;
  }
  return points;
}

std::size_t Plan::default_point() const {
  std::vector<std::size_t> at(axis_lengths_.size(), 0);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const auto& values = variables_[v].values;
    const auto unset = std::find(values.begin(), values.end(), std::nullopt);
    if (unset != values.end()) at[axis_of_[v]] = static_cast<std::size_t>(unset - values.begin());
  }
  return find(at).value_or(0);
}

std::vector<PlannedLaunch> Plan::launches() const {
  constexpr std::size_t most_launches = 1'000'000;
  if (size() > most_launches / static_cast<std::size_t>(repetitions_))
    throw BadUsage(fmt::format("{} settings, {} times each: more than {} launches; give fewer values or repetitions",
                               size(), repetitions_, most_launches));
  std::vector<PlannedLaunch> launches;
  launches.reserve(size() * static_cast<std::size_t>(repetitions_));
  std::vector<std::size_t> order(size());
  std::mt19937_64 random(seed_);
  for (int repetition = 0; repetition < repetitions_; ++repetition) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); random_order_ && i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const auto point : order) launches.push_back({point, repetition});
  }
  return launches;
}

}  // namespace ringmark::sweep

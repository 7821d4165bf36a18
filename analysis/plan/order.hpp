// The order of a plan's choices. The same functions compute it from numbers and write it as spreadsheet formulas.
#pragma once

#include <string>

#include <fmt/format.h>

namespace ringmark::analysis {

/// The values by which choices are ordered: numbers, or the formulas of cells. A limit of 0 means none.
template <class Value>
struct Ordered {
  Value days, cost;            ///< with likely inputs
  Value expected;              ///< mean cost, or mean GPU-days without a price
  Value days_sure, cost_sure;  ///< not exceeded with the wanted certainty
  Value deadline, budget;
};

/// Operations on numbers.
struct Figures {
  using Value = double;
  using Truth = bool;
  static Value number(double value) { return value; }
  static Truth is_positive(Value a) { return a > 0; }
  static Truth is_at_most(Value a, Value b) { return a <= b; }
  static Truth negated(Truth a) { return !a; }
  static Truth all(Truth a, Truth b) { return a && b; }
  static Truth any(Truth a, Truth b) { return a || b; }
  static Value choose(Truth condition, Value a, Value b) { return condition ? a : b; }
};

/// The same as a spreadsheet's formulas.
struct Formulas {
  using Value = std::string;
  using Truth = std::string;
  static Value number(double value) { return fmt::format("{:.17G}", value); }
  static Truth is_positive(const Value& a) { return a + ">0"; }
  static Truth is_at_most(const Value& a, const Value& b) { return a + "<=" + b; }
  static Truth negated(const Truth& a) { return fmt::format("NOT({})", a); }
  static Truth all(const Truth& a, const Truth& b) { return fmt::format("AND({},{})", a, b); }
  static Truth any(const Truth& a, const Truth& b) { return fmt::format("OR({},{})", a, b); }
  static Value choose(const Truth& condition, const Value& a, const Value& b) {
    return fmt::format("IF({},{},{})", condition, a, b);
  }
};

/// Smaller is better. What the tiers meet: 1 deadline and budget with the wanted certainty; 2 both as planned, and the
/// deadline with that certainty; 3 both as planned; 4 only the deadline; 5 not even that.
constexpr double tier_as_planned = 3, tier_late = 5;

template <class Of>
typename Of::Value tier_by(const Ordered<typename Of::Value>& o) {
  const auto keeps = [](const auto& figure, const auto& limit) {
    return Of::any(Of::negated(Of::is_positive(limit)), Of::is_at_most(figure, limit));
  };
  const auto tier = [](double number) { return Of::number(number); };
  const auto is_early = keeps(o.days, o.deadline);
  const auto is_within = Of::all(is_early, keeps(o.cost, o.budget));
  const auto is_surely_early = Of::all(is_within, keeps(o.days_sure, o.deadline));
  const auto is_sure = Of::all(is_surely_early, keeps(o.cost_sure, o.budget));
  const auto within = Of::choose(is_sure, tier(1), Of::choose(is_surely_early, tier(2), tier(tier_as_planned)));
  return Of::choose(is_within, within, Of::choose(is_early, tier(4), tier(tier_late)));
}

/// Within a tier, expected cost decides, then days; the other way round if only a budget is given and it is met, and in
/// the last tier.
template <class Of>
typename Of::Truth is_by_days(const typename Of::Value& tier, const Ordered<typename Of::Value>& o) {
  const auto takes_fastest = Of::all(Of::is_positive(o.budget), Of::negated(Of::is_positive(o.deadline)));
  return Of::any(Of::is_at_most(Of::number(tier_late), tier),
                 Of::all(takes_fastest, Of::is_at_most(tier, Of::number(tier_as_planned))));
}

}  // namespace ringmark::analysis

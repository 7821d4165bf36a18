#include "analysis/plan/answer_reasons.hpp"

#include <fmt/format.h>

#include "analysis/plan/words.hpp"
#include "base/text/text_table.hpp"

namespace ringmark::analysis {

std::string why(const Scenario& scenario, const Answer& answer) {
  if (!answer.meets_deadline) return "no cluster meets the deadline; the fastest";
  if (!answer.meets_budget)
    return scenario.deadline_days ? "no cluster meets the deadline within the budget; the cheapest for the deadline"
                                  : "no cluster meets the budget; the cheapest";
  if (scenario.budget)
    return scenario.deadline_days ? "the cheapest by expected cost within deadline and budget"
                                  : "the fastest within the budget";
  const std::string least =
      scenario.has_prices() ? "the cheapest by expected cost" : "the one with the fewest GPU-hours";
  return scenario.deadline_days ? least + " for the deadline" : least;
}

std::string certainty_words(const Scenario& scenario, const Answer& answer) {
  if (!answer.meets_deadline || !answer.meets_budget || (!scenario.deadline_days && !scenario.budget)) return "";
  if (!answer.chosen->has_range()) return " (certainty unknown)";
  return fmt::format(" ({} certainty{})", fmt::format("{:.0f} %", 100 * scenario.certainty),
                     answer.is_certain ? "" : " not reached");
}

std::string why_not(const Scenario& scenario, const Choice& cheapest) {
  std::string reasons;
  const auto add = [&](const char* what, const Estimate& value, const std::optional<double>& limit) {
    const auto how = meets(value, limit, scenario.certainty);
    if (how == Meets::surely) return;
    const auto sure = value.probability_below(limit.value_or(0));
    reasons += reasons.empty() ? "" : " and ";
    reasons += how == Meets::not_at_all ? fmt::format("misses the {}", what)
               : sure ? fmt::format("has only a {} chance of meeting the {}", probability_words(*sure), what)
                      : fmt::format("meets the {} with unknown certainty", what);
  };
  add("deadline", cheapest.days(), scenario.deadline_days);
  add("budget", cheapest.cost(), scenario.budget);
  return reasons.empty() ? "is slower" : reasons;
}

std::string budget_words(const Scenario& scenario, const Choice& choice) {
  const auto cost = choice.cost();
  auto words = fmt::format("{} {} as planned", short_number(cost.planned), scenario.currency);
  if (cost.spread)
    words += fmt::format(", {} with {:.0f} % certainty", short_number(cost.not_exceeded(scenario.certainty)),
                         100 * scenario.certainty);
  return words;
}

std::string smallest_budget(const Scenario& scenario, const Answer& answer) {
  if (answer.meets_budget || !answer.meets_deadline || !answer.chosen) return "";
  return fmt::format(" and the smallest that suffices is {}", budget_words(scenario, *answer.chosen));
}

}  // namespace ringmark::analysis

#include "analysis/plan/answer_sentence.hpp"

#include <optional>

#include <fmt/format.h>

#include "analysis/plan/words.hpp"

namespace ringmark::analysis {
namespace {

/// ". The deadline is 30.0 days, met with a probability of 97 %", the latter if the cell has it.
LiveText limit_words(const std::string& what, const std::string& limit, const std::optional<double>& limit_now,
                     int decimals, const std::string& unit, const std::string& probability, const Estimate& value) {
  const auto now = limit_now ? value.probability_below(*limit_now) : std::nullopt;
  const auto likelihood = fmt::format("IF({0}>0.99,{1},IF({0}<0.01,{2},FIXED(100*{0},0)&{3}))", probability,
                                      quoted(probability_words(1)), quoted(probability_words(0)), quoted(" %"));
  LiveText words;
  words.say(". " + what + " is ").append(live_number(limit, decimals, limit_now.value_or(0))).say(" " + unit);
  words.say_if(fmt::format("ISNUMBER({})", probability), now.has_value(),
               LiveText().say(", met with a probability of ").say_cell(likelihood, probability_words(now.value_or(0))));
  return LiveText().say_if(limit + ">0", limit_now.has_value(), words);
}

}  // namespace

LiveText answer_sentence(const Scenario& scenario, const CellNames& names, const Answer& answer,
                         const std::string& verdict, std::size_t line, const AnswerCells& cells) {
  const auto model = scenario.models[answer.model].name + ": ";
  const auto cell = [&](PlaceColumn column) { return cell_at(column, line); };
  const auto nothing = model + verdict;
  const bool is_there = answer.chosen.has_value();
  const auto row = is_there ? *answer.chosen->row : PlanRow{};
  const Choice choice{&row};
  const double high = choice.days().range().high;
  LiveText text;
  text.say(model).say_cell(cell(in_model), verdict).say(" ");
  text.say_cell(cell(in_nodes), std::to_string(row.nodes)).say(" nodes of ");
  text.say_cell(cell(in_cluster), scenario.clusters[row.cluster].name).say(", ");
  const auto& cluster = scenario.clusters[row.cluster];
  const double spare_gpus = cluster.spare_nodes * cluster.gpus_per_node;
  text.say_if(cells.paid_GPUs + ">" + cells.GPUs, spare_gpus > 0,
              LiveText()
                  .append(live_number(fmt::format("({0}-{1})*{2}/{1}", cells.paid_GPUs, cells.GPUs, cells.nodes), 0,
                                      cluster.spare_nodes))
                  .say(" spare (")
                  .append(live_number(cells.paid_GPUs, 0, row.ranks + spare_gpus))
                  .say(" GPUs to pay for), "));
  text.append(live_number(cell(in_days), 1, row.days));
  text.say(" days").say_if(
      cell(in_days) + "<" + cell(in_days_high), row.days < high,
      LiveText().say(" (in 19 of 20 cases below ").append(live_number(cell(in_days_high), 1, high)).say(")"));
  text.say_if(cell(in_cost) + ">0", row.cost > 0,
              LiveText().say(", ").append(live_number(cell(in_cost), 0, row.cost)).say(" " + scenario.currency));
  text.say_if(cell(in_outlay) + ">0", row.outlay > 0,
              LiveText()
                  .say(" (this run's share, if the cluster is used all the time for ")
                  .append(live_number(cells.years, 1, cluster.purchase.value_or(Purchase{}).years))
                  .say(" years, of an order of ")
                  .append(live_number(cell(in_outlay), 0, row.outlay))
                  .say(" " + scenario.currency + ")"));
  text.say_if(cell(in_energy) + ">0", row.energy_MWh > 0,
              LiveText().say(", ").append(live_number(cell(in_energy), 1, row.energy_MWh)).say(" MWh"));
  text.append(
      limit_words("The deadline", names.deadline, scenario.deadline_days, 1, "days", cell(of_deadline), choice.days()));
  text.append(
      limit_words("The budget", names.budget, scenario.budget, 0, scenario.currency, cell(of_budget), choice.cost()));
  return LiveText().say_cell(
      fmt::format("IF({}=\"\",{}&{},{})", cell(in_nodes), quoted(model), cell(in_model), text.formula()),
      is_there ? text.now() : nothing);
}

}  // namespace ringmark::analysis

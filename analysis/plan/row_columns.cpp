#include "analysis/plan/row_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/search.hpp"
#include "analysis/plan/words.hpp"
#include "results/files/csv.hpp"

namespace ringmark::analysis {
namespace {

using Training = const Scenario&;
using Row = const PlanRow&;

/// A number of every row; nothing for 0.
template <auto member>
RowValue count(Training, Row row) {
  return row.*member > 0 ? RowValue(static_cast<double>(row.*member)) : RowValue();
}
RowValue value_of(double number) { return number; }
RowValue value_of(const std::optional<double>& number) { return number ? RowValue(*number) : RowValue(); }
/// A number that only a simulated row has.
template <auto member>
RowValue figure(Training, Row row) {
  return row.is_simulated ? value_of(row.*member) : RowValue();
}
/// The same; also nothing without prices.
template <auto member>
RowValue money(Training scenario, Row row) {
  return scenario.has_prices() ? figure<member>(scenario, row) : RowValue();
}
/// Nothing unless the cluster is bought.
template <auto member>
RowValue purchase(Training scenario, Row row) {
  return scenario.clusters[row.cluster].purchase ? figure<member>(scenario, row) : RowValue();
}
/// A size of Megatron's parallelism.
template <auto member>
RowValue size(Training, Row row) {
  return row.has_roles() ? RowValue(static_cast<double>(row.parallelism.*member)) : RowValue();
}
template <auto member>
RowValue truth(Training, Row row) {
  return row.*member;
}

std::string in_csv(const RowValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.12g}", *number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : "";
}

}  // namespace

const std::vector<RowColumn>& row_columns() {
  static const std::vector<RowColumn> columns{
      {"model", [](Training scenario, Row row) { return RowValue(scenario.models[row.model].name); }},
      {"cluster", [](Training scenario, Row row) { return RowValue(scenario.clusters[row.cluster].name); }},
      {"stage", [](Training, Row row) { return RowValue(static_cast<double>(row.stage)); }},
      {"sharding", [](Training, Row row) { return RowValue(split_words(row)); }},
      {"shard_group", count<&PlanRow::shard_group>},
      {"recompute", [](Training, Row row) { return RowValue(replay::name(row.recompute)); }},
      {"micro_batch", count<&PlanRow::micro_batch>},
      {"accumulation", count<&PlanRow::accumulation>},
      {"nodes", count<&PlanRow::nodes>},
      {"ranks", count<&PlanRow::ranks>},
      {"memory_GB", [](Training, Row row) { return RowValue(row.memory_GB); }},
      {"fits", truth<&PlanRow::fits>},
      {"least_s", [](Training, Row row) { return row.fits ? RowValue(row.least_s) : RowValue(); }},
      {"compute_s", figure<&PlanRow::compute_s>},
      {"exposed_s", figure<&PlanRow::exposed_s>},
      {"step_s", figure<&PlanRow::step_s>},
      {"tokens_per_s", figure<&PlanRow::tokens_per_s>},
      {"samples_per_s", figure<&PlanRow::samples_per_s>},
      {"mfu", figure<&PlanRow::mfu>},
      {"scaling_factor", figure<&PlanRow::scaling_factor>},
      {"goodput", figure<&PlanRow::goodput>},
      {"days", figure<&PlanRow::days>},
      {"cost", money<&PlanRow::cost>},
      {"cost_per_Btok", money<&PlanRow::cost_per_Btok>},
      {"energy_MWh", figure<&PlanRow::energy_MWh>},
      {"interval_low_s", figure<&PlanRow::interval_low_s>},
      {"interval_high_s", figure<&PlanRow::interval_high_s>},
      {"median_s", figure<&PlanRow::median_s>},
      {"expected_cost", money<&PlanRow::expected_cost>},
      {"outlay", purchase<&PlanRow::outlay>},
      {"depreciation", purchase<&PlanRow::depreciation>},
      {"electricity", purchase<&PlanRow::electricity>},
      {"bubble_s", figure<&PlanRow::bubble_s>},
      {"tp", size<&Parallelism::tensor>},
      {"pp", size<&Parallelism::pipeline>},
      {"vp", size<&Parallelism::chunks>},
      {"cp", size<&Parallelism::context>},
      {"ep", size<&Parallelism::expert>},
      {"dp", [](Training, Row row) { return row.has_roles() ? RowValue(row.copies()) : RowValue(); }},
      {"best", truth<&PlanRow::is_best>},
      {"beyond_fit", truth<&PlanRow::is_beyond_fit>}};
  return columns;
}

RowValue row_value(std::string_view name, const Scenario& scenario, const PlanRow& row) {
  const auto& columns = row_columns();
  return std::find_if(columns.begin(), columns.end(), [&](const RowColumn& each) { return each.name == name; })
      ->of(scenario, row);
}

bool is_plan_csv(std::string_view text) { return text.starts_with("model,cluster,stage,"); }

std::string plan_csv(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  std::vector<std::string> cells;
  for (const auto& column : row_columns()) cells.emplace_back(column.name);
  auto text = write_csv(cells);
  for (const auto& row : rows) {
    cells.clear();
    for (const auto& column : row_columns()) cells.push_back(in_csv(column.of(scenario, row)));
    text += write_csv(cells);
  }
  return text;
}

}  // namespace ringmark::analysis

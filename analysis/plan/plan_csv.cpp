#include <functional>

#include <fmt/format.h>

#include "analysis/plan/search.hpp"
#include "results/csv.hpp"

namespace ringmark::analysis {
namespace {

struct PlanColumn {
  std::string name;
  std::function<std::string(const Scenario&, const PlanRow&)> cell;
};

/// A number that only a simulated row has.
PlanColumn figure(std::string name, double PlanRow::*field) {
  return {std::move(name), [field](const Scenario&, const PlanRow& row) {
            return row.is_simulated ? fmt::format("{:.12g}", row.*field) : std::string();
          }};
}
PlanColumn figure(std::string name, std::optional<double> PlanRow::*field) {
  return {std::move(name), [field](const Scenario&, const PlanRow& row) {
            return row.is_simulated && row.*field ? fmt::format("{:.12g}", *(row.*field)) : std::string();
          }};
}
/// Empty without prices as well.
PlanColumn money(std::string name, double PlanRow::*field) {
  auto column = figure(std::move(name), field);
  column.cell = [of = std::move(column.cell)](const Scenario& scenario, const PlanRow& row) {
    return scenario.has_prices() ? of(scenario, row) : std::string();
  };
  return column;
}
PlanColumn truth(std::string name, bool PlanRow::*field) {
  return {std::move(name), [field](const Scenario&, const PlanRow& row) { return row.*field ? "1" : "0"; }};
}
template <class Number>
PlanColumn number(std::string name, Number PlanRow::*field) {
  return {std::move(name), [field](const Scenario&, const PlanRow& row) { return fmt::format("{}", row.*field); }};
}

std::vector<PlanColumn> plan_columns() {
  return {
      {"model", [](const Scenario& scenario, const PlanRow& row) { return scenario.models[row.model].name; }},
      {"cluster", [](const Scenario& scenario, const PlanRow& row) { return scenario.clusters[row.cluster].name; }},
      number("stage", &PlanRow::stage),
      {"sharding", [](const Scenario&, const PlanRow& row) { return sharding_words(row.framework, row.sharding()); }},
      {"shard_group",
       [](const Scenario&, const PlanRow& row) {
         return row.shard_group > 0 ? std::to_string(row.shard_group) : std::string();
       }},
      {"recompute", [](const Scenario&, const PlanRow& row) { return name(row.recompute); }},
      number("micro_batch", &PlanRow::micro_batch),
      {"accumulation",
       [](const Scenario&, const PlanRow& row) {
         return row.accumulation > 0 ? std::to_string(row.accumulation) : std::string();
       }},
      number("nodes", &PlanRow::nodes),
      number("ranks", &PlanRow::ranks),
      {"memory_GB", [](const Scenario&, const PlanRow& row) { return fmt::format("{:.12g}", row.memory_GB); }},
      truth("fits", &PlanRow::fits),
      {"least_s", [](const Scenario&,
                     const PlanRow& row) { return row.fits ? fmt::format("{:.12g}", row.least_s) : std::string(); }},
      figure("compute_s", &PlanRow::compute_s),
      figure("exposed_s", &PlanRow::exposed_s),
      figure("step_s", &PlanRow::step_s),
      figure("tokens_per_s", &PlanRow::tokens_per_s),
      figure("samples_per_s", &PlanRow::samples_per_s),
      figure("mfu", &PlanRow::mfu),
      figure("scaling_factor", &PlanRow::scaling_factor),
      figure("goodput", &PlanRow::goodput),
      figure("days", &PlanRow::days),
      money("cost", &PlanRow::cost),
      money("cost_per_Btok", &PlanRow::cost_per_Btok),
      figure("energy_MWh", &PlanRow::energy_MWh),
      figure("interval_low_s", &PlanRow::interval_low_s),
      figure("interval_high_s", &PlanRow::interval_high_s),
      figure("median_s", &PlanRow::median_s),
      money("expected_cost", &PlanRow::expected_cost),
      truth("best", &PlanRow::is_best),
      truth("beyond_fit", &PlanRow::is_beyond_fit)};
}

}  // namespace

bool is_plan_csv(std::string_view text) { return text.starts_with("model,cluster,stage,"); }

std::string plan_csv(const Scenario& scenario, const std::vector<PlanRow>& rows) {
  const auto columns = plan_columns();
  std::vector<std::string> cells;
  for (const auto& column : columns) cells.push_back(column.name);
  auto text = write_csv(cells);
  for (const auto& row : rows) {
    cells.clear();
    for (const auto& column : columns) cells.push_back(column.cell(scenario, row));
    text += write_csv(cells);
  }
  return text;
}

}  // namespace ringmark::analysis

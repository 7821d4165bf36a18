// The arithmetic of estimate.cpp as a spreadsheet's formulas, over cells with names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/search.hpp"

namespace ringmark::analysis {

/// Names of the cells that hold what a planner may change.
struct CellNames {
  struct Model {
    std::string parameters, looked_up, layers, hidden, vocabulary, gathers;
  };
  struct Cluster {
    std::string gpus, peak, efficiency, memory, reserve, price, power, intra_alpha, intra_rate, alpha, rate;
    std::string mtbf_hours, write_s, restart_s, interval_s;
    std::string next_price;  ///< of the next device; empty without one
  };
  std::string tokens, sequence, overlap, bucket, scatter, utilisation, deadline, budget;
  std::string network_times, memory_times;
  std::string batch;  ///< empty where the accumulation is listed
  std::vector<std::string> nodes;
  std::vector<Model> models;
  std::vector<Cluster> clusters;
};

/// The sheet Results: from `accumulation` on each column is a formula, except an accumulation that is listed.
namespace result_column {
enum Column : std::size_t {
  model,
  cluster,
  stage,
  recompute,
  micro_batch,
  accumulation,
  nodes,
  ranks,
  alpha_us,
  GBps,
  memory_GB,
  fits,
  compute_s,
  gradient_s,
  parameter_s,
  window_s,
  replay_factor,
  exposed_s,
  step_s,
  tokens_per_s,
  samples_per_s,
  mfu,
  scaling_factor,
  goodput,
  days,
  cost,
  cost_per_Btok,
  energy_MWh,
  hidden_from_GBps,
  compute_factor,
  interval_low_s,
  interval_high_s,
  best,
  beyond_fit,
  number  ///< of the row, from 1
};
}  // namespace result_column

/// The cells of a cluster, for those that treat all alike.
constexpr std::string CellNames::Cluster::*cluster_cells[]{
    &CellNames::Cluster::gpus,    &CellNames::Cluster::peak,        &CellNames::Cluster::efficiency,
    &CellNames::Cluster::memory,  &CellNames::Cluster::reserve,     &CellNames::Cluster::price,
    &CellNames::Cluster::power,   &CellNames::Cluster::intra_alpha, &CellNames::Cluster::intra_rate,
    &CellNames::Cluster::alpha,   &CellNames::Cluster::rate,        &CellNames::Cluster::mtbf_hours,
    &CellNames::Cluster::write_s, &CellNames::Cluster::restart_s,   &CellNames::Cluster::interval_s};

/// "A" for 0; up to "ZZ".
std::string column_letter(std::size_t column);

constexpr std::size_t first_result_line = 3;  ///< as the sheet numbers them; above are names and units

/// "Results!$F$3:$F$12", of `rows` rows.
std::string result_range(std::size_t column, std::size_t rows);

struct ResultCell {
  const char* name;
  std::string unit;
  std::string formula;          ///< empty: the value alone
  std::optional<double> value;  ///< at the scenario's assumptions; nothing: an empty text
};

/// The formulas of rows[index], from the column `accumulation` on.
std::vector<ResultCell> result_cells(const Scenario& scenario, const CellNames& names, const std::vector<PlanRow>& rows,
                                     std::size_t index);

/// Formulas for what the sheet Results takes from the search.
struct GivenCells {
  std::string accumulation, compute_factor, replay_factor;
};

/// The same columns for a configuration on a line of another sheet, whose columns stage, recompute and micro_batch are
/// as in Results. Cells that compare lines (scaling_factor, best) are empty.
std::vector<ResultCell> variant_cells(const Scenario& scenario, const CellNames& names, const PlanRow& row,
                                      std::size_t line, const GivenCells& given);

}  // namespace ringmark::analysis

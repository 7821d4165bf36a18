// The arithmetic of estimate.cpp as a spreadsheet's formulas, over cells with names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/estimate.hpp"

namespace ringmark::analysis {

/// Names of the cells that hold what a planner may change.
struct CellNames {
  struct Model {
    std::string parameters, layers, hidden, vocabulary, gathers;
  };
  struct Cluster {
    std::string gpus, peak, efficiency, memory, reserve, price, power, intra_alpha, intra_rate, alpha, rate;
  };
  std::string tokens, sequence, overlap, bucket, recompute, scatter;
  std::vector<std::string> nodes;
  std::vector<Model> models;
  std::vector<Cluster> clusters;
};

/// The sheet Results: from `nodes` on each column is a formula.
namespace result_column {
enum Column : std::size_t {
  model,
  cluster,
  stage,
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
  scaling_factor,
  days,
  cost,
  energy_MWh,
  hidden_from_GBps,
  compute_factor,
  interval_low_s,
  interval_high_s,
  best,
  beyond_fit
};
}  // namespace result_column

/// "A" for 0; up to "ZZ".
std::string column_letter(std::size_t column);

constexpr std::size_t first_result_line = 3;  ///< as the sheet numbers them; above are names and units

/// "Results!$F$3:$F$12", of `rows` rows.
std::string result_range(std::size_t column, std::size_t rows);

struct ResultCell {
  const char* name;
  const char* unit;
  std::string formula;
  std::optional<double> value;  ///< at the scenario's assumptions; nothing: an empty text
};

/// The formulas of rows[index], from the column `nodes` on.
std::vector<ResultCell> result_cells(const Scenario& scenario, const CellNames& names, const std::vector<PlanRow>& rows,
                                     std::size_t index);

}  // namespace ringmark::analysis

// Replayed training steps: how much of each is computation, and how much waits for the network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Medians over the rows of one configuration.
struct TrainingStep {
  std::string case_name;      ///< model and ranks, and how it was scaled
  std::string scaled;         ///< "collectives 0.01 times as large"; empty if it was not
  std::string configuration;  ///< as configuration_column has it
  std::size_t row;            ///< one of its rows
  std::size_t launches;
  double time_us;
  std::optional<double> computation_us, exposed_us, hidden_us, samples_per_s;
  std::vector<double> micro_computation_us, micro_exposed_us;  ///< for each micro-step; empty if unknown
  std::string waited_for;                                      ///< the rank, where all rows name the same one
};

/// Rows of schema replay/1, by case, the fastest configuration first.
std::vector<TrainingStep> training_steps(const Table& table, const std::vector<std::size_t>& rows);

}  // namespace ringmark::analysis

// A plan's inputs, rows and probabilities in words, for the console and the spreadsheet.
#pragma once

#include <string>
#include <string_view>

#include "analysis/plan/plan_row.hpp"

namespace ringmark::analysis {

/// "73 %", "more than 99 %" or "less than 1 %": the intervals cannot resolve rarer events.
std::string probability_words(double probability);

/// How GPUs share the model: "ZeRO stage 1", or "tensor 8, pipeline 16 x 8, data 64".
std::string split_words(const PlanRow& row);
/// "ZeRO stage 1, 2 sequences x 4 micro-steps a GPU, full recomputation".
std::string configuration_words(const PlanRow& row);
/// Why a row does not fit.
std::string misfit_words(const Scenario& scenario, const PlanRow& row);

/// "price per GPU-hour" of the scenario's key "price_per_GPU_hour", for readers of the spreadsheet who have not seen
/// the scenario file. Throws std::out_of_range for a key that no sheet shows.
std::string input_words(std::string_view key);

}  // namespace ringmark::analysis

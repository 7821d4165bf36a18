// Alpha and beta of every path and algorithm, from results: the cost of a step and of a byte.
//
// The cost formula is the schedule's own (transports/schedules/cost.hpp). Times are split into segments by message size
// where the data require it (protocol changes, caches): the Bayesian information criterion decides whether another
// segment is justified.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/fit/line_fit.hpp"
#include "analysis/read/read_results.hpp"
#include "replay/predict/fit_prediction.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// A model for every setting that was measured with at least two sizes. Notes name the settings without a model.
Fit fit_results(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string>& notes);

/// A fit's prediction for results that were not used to make it.
struct Checked {
  std::string case_name;
  std::uint64_t size_bytes;
  double time_us;                        ///< measured: the median of launches
  std::optional<Prediction> prediction;  ///< nothing if the fit has no model for it
};
std::vector<Checked> check(const Fit& fit, const Table& table, const std::vector<std::size_t>& rows);
std::string print(const std::vector<Checked>& all);

/// For a person: a line for each segment.
std::string print(const Fit& fit);
/// The same as an array of JSON objects, fit-segment/1; fit/1 is for programs that predict.
std::string segments_json(const Fit& fit);

}  // namespace ringmark::analysis

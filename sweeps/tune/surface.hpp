// A recorded grid of settings, for tuning without a cluster.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "sweeps/tune/strategy.hpp"

namespace ringmark::sweep {

/// Made from the results.csv of a sweep with the same variables. It needs these columns: run_id, size_bytes, status,
/// the objective's and the variables'. Each recorded launch of a setting is a repetition.
class Surface {
 public:
  /// `csv` is the file's text. Throws CsvError, or BadUsage if a column is missing or a setting of the plan was not
  /// recorded.
  Surface(std::string_view csv, const Sweep& sweep, const Plan& plan);

  /// A random launch of the setting.
  Trial draw(std::size_t point, std::mt19937_64& random) const;
  /// Mean of the setting's launches; empty if one failed.
  std::optional<double> mean(std::size_t point) const;
  /// The setting with the lowest mean.
  std::size_t best() const;

 private:
  std::vector<std::vector<std::optional<double>>> scores_;  ///< by point and launch
};

}  // namespace ringmark::sweep

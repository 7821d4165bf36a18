// A grid that was measured before, to tune over without a cluster.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "sweeps/tune/strategy.hpp"

namespace ringmark::sweep {

/// From the results.csv of a sweep whose variables are the same, or from some of its columns: run_id, size_bytes,
/// status, the objective's and the variables'. Each recorded launch of a setting is a repeat.
class Surface {
 public:
  /// `csv` is the file's text. Throws CsvError, or BadUsage if a column is missing or a setting of the plan was not
  /// recorded.
  Surface(std::string_view csv, const Sweep& sweep, const Plan& plan);

  /// One of the setting's launches, by chance.
  Trial draw(std::size_t point, std::mt19937_64& random) const;
  /// Mean of all its launches; nothing if one failed.
  std::optional<double> mean(std::size_t point) const;
  /// The setting with the lowest mean.
  std::size_t best() const;

 private:
  std::vector<std::vector<std::optional<double>>> scores_;  ///< of each point, of each launch
};

}  // namespace ringmark::sweep

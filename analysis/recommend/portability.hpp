// Performance portability after Pennycook, Sewall and Lee (arXiv 1611.07409): over a set H of platforms on which the
// application has efficiencies e_i, the harmonic mean |H| / sum(1 / e_i), and 0 if it fails on any of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"
#include "results/files/json_rows.hpp"

namespace ringmark::analysis {

/// Efficiencies in (0, 1]; nothing stands for a platform that is not supported.
double performance_portability(const std::vector<std::optional<double>>& efficiencies);

/// A configuration's performance on each platform, higher is better.
struct Platforms {
  std::vector<std::string> platforms;
  /// configuration → performance on each platform, in that order
  std::map<std::string, std::vector<std::optional<double>>> performance;
  /// the limit of each platform, for architectural efficiency; may be empty
  std::vector<std::optional<double>> limit;
  /// Caveats on the results of a platform, whose name comes first.
  std::vector<std::string> doubts;
};

struct Portability {
  std::string configuration;
  std::vector<std::optional<double>> application;    ///< against the best configuration on each platform
  std::vector<std::optional<double>> architectural;  ///< against the limit; empty without limits
  double phi_application = 0;
  std::optional<double> phi_architectural;
};
std::vector<Portability> portability(const Platforms& platforms);

/// A table of published results: CSV with a column `configuration` and a column for each platform; empty cells are
/// unsupported, a row called `limit` is the limit. Throws BadUsage.
Platforms platforms_from_csv(const std::string& file, std::string_view text);

/// Platforms are the networks (or the values of `by`), configurations are all other settings. For each case,
/// performance is the bus bandwidth at the largest size that the most platforms measured, and the limit is the measured
/// bandwidth of links, if any.
std::map<std::string, Platforms> platforms_from_results(const Table& table, const std::vector<std::size_t>& rows,
                                                        const std::string& by);

std::string print(const std::string& title, const Platforms& platforms, const std::vector<Portability>& all);
/// A row of portability/1 for each configuration and platform.
std::vector<JsonRow> json_rows_of(const std::string& title, const Platforms& platforms,
                                  const std::vector<Portability>& all);

}  // namespace ringmark::analysis

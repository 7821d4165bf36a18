// Limits of a scenario's values, which a workbook's cells share.
#pragma once

#include <map>
#include <string_view>

#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

constexpr double least_certainty = 0.5, most_certainty = 0.99, least_utilisation = 0.01;

/// By the key of a scenario. A cell also takes 0 where that means none.
inline const Interval& limits_of(std::string_view key) {
  static const std::map<std::string_view, Interval> limits{{"tokens", {1, 1e18}},
                                                           {"utilisation", {least_utilisation, 1}},
                                                           {"certainty", {least_certainty, most_certainty}},
                                                           {"deadline_days", {1e-6, 1e6}},
                                                           {"budget", {1e-6, 1e15}},
                                                           {"price_per_GPU_hour", {0, 1e6}},
                                                           {"next_price_per_GPU_hour", {0, 1e6}},
                                                           {"reserved_price_per_GPU_hour", {1e-9, 1e6}},
                                                           {"reserved_nodes", {0, 1e6}},
                                                           {"reserved_share", {0, 1}},
                                                           {"price_per_GPU", {1e-6, 1e9}},
                                                           {"years", {0.1, 100}},
                                                           {"electricity_per_kWh", {0, 1e3}},
                                                           {"PUE", {1, 10}},
                                                           {"spare_nodes", {0, 1e5}},
                                                           {"power_kW_per_GPU", {0, 1e3}},
                                                           {"node_mtbf_hours", {1e-3, 1e9}},
                                                           {"checkpoint_write_s", {0, 1e7}},
                                                           {"checkpoint_interval_s", {1, 1e9}},
                                                           {"restart_s", {0, 1e7}}};
  return limits.at(key);
}

}  // namespace ringmark::analysis

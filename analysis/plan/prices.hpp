// What a GPU-hour of a cluster costs: rented, bought, or partly reserved.
#pragma once

#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

struct Cluster;

/// Bought hardware, with straight-line depreciation over `years` of continuous use.
struct Purchase {
  double price_per_GPU = 0;  ///< with its share of the node, network and room
  double years = 4;
  double electricity_per_kWh = 0, PUE = 1;  ///< power usage effectiveness: the site's power over that of its GPUs
};
/// A year of 365 days.
constexpr double hours_per_year = 8760;
double hour_price(const Purchase& purchase, double power_kW_per_GPU);

/// Nodes at a contract price. A plan pays only for those that it uses, while it uses them.
struct Reservation {
  double nodes = 0, share = 0;  ///< one of the two; the share is of all nodes that a plan pays for
  double price_per_GPU_hour = 0;
};

/// The 5 and 95 % points of average_price(), relative to its value at the likely on-demand price.
Interval price_range(const Cluster& cluster, double nodes);

}  // namespace ringmark::analysis

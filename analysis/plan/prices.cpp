#include "analysis/plan/prices.hpp"

#include <algorithm>

#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

double hour_price(const Purchase& purchase, double power_kW_per_GPU) {
  return purchase.price_per_GPU / (purchase.years * hours_per_year) +
         power_kW_per_GPU * purchase.PUE * purchase.electricity_per_kWh;
}

double Cluster::average_price(double nodes, double price_of_others) const {
  if (!reserved) return price_of_others;
  const double paid = nodes + spare_nodes, at_contract = std::min(paid, reserved->nodes + reserved->share * paid);
  return (at_contract * reserved->price_per_GPU_hour + (paid - at_contract) * price_of_others) / paid;
}

Interval price_range(const Cluster& cluster, double nodes) {
  if (cluster.price_per_GPU_hour <= 0) return {1, 1};
  const auto with = [&](double factor) { return cluster.average_price(nodes, cluster.price_per_GPU_hour * factor); };
  return {with(cluster.price_range.low) / with(1), with(cluster.price_range.high) / with(1)};
}

}  // namespace ringmark::analysis

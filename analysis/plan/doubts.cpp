// Values of a scenario that are probably mistakes.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/cluster_reader.hpp"
#include "base/text/text_table.hpp"
#include "replay/predict/plausible.hpp"

namespace ringmark::analysis {
namespace {

constexpr double most_gpu_kilowatts = 5, most_power_ratio = 4, most_hour_price = 50;

/// Currencies in which a GPU-hour costs a few units.
bool is_like_dollars(const std::string& currency) {
  constexpr std::array<std::string_view, 5> known{"USD", "EUR", "GBP", "CHF", "$"};
  return std::find(known.begin(), known.end(), currency) != known.end();
}

void doubt_figures(const Cluster& cluster, std::vector<std::string>& doubts) {
  constexpr double watts_of_a_kilowatt = 1000;
  if (!cluster.device) return;
  const auto& device = *cluster.device;
  Cluster usual;
  take_figures(device, usual);
  const auto doubt = [&](const char* key, double value, double of_device, double most, const std::string& why) {
    if (of_device > 0 && value > most * of_device)
      doubts.push_back(fmt::format("{} {} is {:.1f} times the datasheet value of {}, {}{}", key, short_number(value),
                                   value / of_device, device.name, short_number(of_device), why));
  };
  doubt("peak_TFLOPS", cluster.peak_TFLOPS, device.peak_TFLOPS, 1.2,
        ": give the dense 16-bit peak, not the sparse one");
  doubt("memory_GB", cluster.memory_GB, usual.memory_GB, 1.5, ": give the memory of one GPU");
  doubt("power_kW_per_GPU", cluster.power_kW_per_GPU, device.power_watts / watts_of_a_kilowatt, most_power_ratio,
        ": give kilowatts of one GPU");
}

void doubt_costs(const Scenario& scenario, const Cluster& cluster, std::vector<std::string>& doubts) {
  const bool has_watts = cluster.device && cluster.device->power_watts > 0;
  if (!has_watts && cluster.power_kW_per_GPU > most_gpu_kilowatts)
    doubts.push_back(fmt::format("power_kW_per_GPU {} is unusual: a GPU draws 0.4 to 1.4 kW",
                                 short_number(cluster.power_kW_per_GPU)));
  if (!cluster.purchase && is_like_dollars(scenario.currency) && cluster.price_per_GPU_hour > most_hour_price)
    doubts.push_back(
        fmt::format("price_per_GPU_hour {} {} is unusual: a GPU-hour rents for 1 to 10 {}; the price of a GPU that is "
                    "bought goes into purchase: {{price_per_GPU: }}",
                    short_number(cluster.price_per_GPU_hour), scenario.currency, scenario.currency));
  if (cluster.purchase && is_like_dollars(scenario.currency) && cluster.purchase->price_per_GPU < 1e3)
    doubts.push_back(fmt::format("price_per_GPU {} {} is unusual: a GPU usually costs 10000 to 60000 {}",
                                 short_number(cluster.purchase->price_per_GPU), scenario.currency, scenario.currency));
}

}  // namespace

std::vector<std::string> doubts_of(const Scenario& scenario) {
  std::vector<std::string> all;
  for (const auto& cluster : scenario.clusters) {
    auto doubts = replay::doubts_of(links_of(cluster), cluster.device ? cluster.device->name : "");
    if (cluster.device) doubts.push_back(replay::doubt_of_bfloat16(*cluster.device));
    doubt_figures(cluster, doubts);
    doubt_costs(scenario, cluster, doubts);
    for (const auto& doubt : doubts) {
      if (!doubt.empty()) all.push_back(fmt::format("WARNING: {}: {}", cluster.name, doubt));
    }
  }
  return all;
}

}  // namespace ringmark::analysis

#include "analysis/plan/cluster_reader.hpp"

#include "base/errors.hpp"
#include "replay/generate/memory_fit.hpp"

namespace ringmark::analysis {

namespace {

double efficiency_of(const replay::Device& device) {
  return device.knows_operators() ? device.product_efficiency : device.efficiency;
}

}  // namespace

double Cluster::slowdown_of_device() const {
  return device ? device->peak_TFLOPS * efficiency_of(*device) / (peak_TFLOPS * efficiency) : 1;
}

void take_figures(const replay::Device& device, Cluster& cluster) {
  constexpr double GB_of_a_GiB = 1.073741824;
  cluster.device = device;
  cluster.peak_TFLOPS = device.peak_TFLOPS;
  cluster.efficiency = efficiency_of(device);
  cluster.memory_GB = device.memory_GiB * GB_of_a_GiB;
  cluster.reserve_GB = cluster.memory_GB * (1 - replay::usable_share);
}

std::optional<replay::Device> ClusterReader::device(const YAML::Node& map) {
  if (!map.IsMap() || !map["device"]) return std::nullopt;
  try {
    return replay::load_device(keys_.yaml().text("device", map["device"]));
  } catch (const BadUsage& error) {
    keys_.yaml().problem(map["device"], "device: {}", error.what());
    return std::nullopt;
  }
}

std::vector<KeyReader::Key> ClusterReader::failure_keys(Failures& failures) {
  return {
      {"node_mtbf_hours", keys_.estimate(failures.node_mtbf_hours, failures.mtbf_range, limits_of("node_mtbf_hours"))},
      {"checkpoint_write_s", keys_.number(failures.checkpoint_write_s, limits_of("checkpoint_write_s"))},
      {"checkpoint_interval_s", keys_.number(failures.checkpoint_interval_s, limits_of("checkpoint_interval_s"))},
      {"restart_s", keys_.number(failures.restart_s, limits_of("restart_s"))}};
}

Cluster ClusterReader::cluster(const YAML::Node& node, const Failures& failures) {
  Cluster cluster;
  cluster.failures = failures;
  // The device's values are defaults, so it is read first.
  if (const auto given = device(node)) {
    constexpr double watts_of_a_kilowatt = 1000;
    take_figures(*given, cluster);
    cluster.power_kW_per_GPU = given->power_watts / watts_of_a_kilowatt;
  }
  YAML::Node next_node;
  std::vector<KeyReader::Key> keys{
      {"name", keys_.text(cluster.name)},
      {"device", [](auto) {}},
      {"next", [&](auto value) { next_node = value; }},
      {"gpus_per_node", keys_.number(cluster.gpus_per_node, 1, 1024)},
      {"peak_TFLOPS", keys_.number(cluster.peak_TFLOPS, 1e-3, 1e6)},
      {"efficiency", keys_.number(cluster.efficiency, 1e-3, 1)},
      {"memory_GB", keys_.number(cluster.memory_GB, 1e-3, 1e6)},
      {"reserve_GB", keys_.number(cluster.reserve_GB, 0, 1e6)},
      {"price_per_GPU_hour",
       keys_.estimate(cluster.price_per_GPU_hour, cluster.price_range, limits_of("price_per_GPU_hour"))},
      {"purchase", [&](auto value) { cluster.purchase = purchase(value); }},
      {"reserved", [&](auto value) { cluster.reserved = reservation(value); }},
      {"spare_nodes", keys_.number(cluster.spare_nodes, limits_of("spare_nodes"))},
      {"power_kW_per_GPU", keys_.number(cluster.power_kW_per_GPU, limits_of("power_kW_per_GPU"))},
      {"intra", [&](auto value) { cluster.intra = path(value, PathKind::within_node); }},
      {"network", [&](auto value) { cluster.network = path(value, PathKind::between_nodes); }}};
  for (auto& key : failure_keys(cluster.failures)) keys.push_back(std::move(key));
  const bool has_device = node.IsMap() && node["device"];
  cluster.given = keys_.map(node, "a cluster", keys,
                            has_device ? std::vector<std::string>{"name", "intra", "network"}
                                       : std::vector<std::string>{"name", "peak_TFLOPS", "intra", "network"});
  if (cluster.reserved && cluster.purchase)
    keys_.yaml().problem(node, "reserved: bought nodes cannot be reserved; leave out reserved or purchase");
  else if (cluster.reserved && !cluster.given.contains("price_per_GPU_hour"))
    keys_.yaml().problem(node, "reserved: the other nodes have no price; give price_per_GPU_hour");
  if (cluster.purchase) {
    if (cluster.given.contains("price_per_GPU_hour"))
      keys_.yaml().problem(node,
                           "purchase: it already determines the price of a GPU-hour; leave out price_per_GPU_hour");
    cluster.price_per_GPU_hour = hour_price(*cluster.purchase, cluster.power_kW_per_GPU);
  }
  if (next_node.IsDefined() && !next_node.IsNull()) cluster.next = next(next_node, cluster);
  return cluster;
}

Purchase ClusterReader::purchase(const YAML::Node& node) {
  Purchase purchase;
  keys_.map(node, "purchase",
            {{"price_per_GPU", keys_.number(purchase.price_per_GPU, limits_of("price_per_GPU"))},
             {"years", keys_.number(purchase.years, limits_of("years"))},
             {"electricity_per_kWh", keys_.number(purchase.electricity_per_kWh, limits_of("electricity_per_kWh"))},
             {"PUE", keys_.number(purchase.PUE, limits_of("PUE"))}},
            {"price_per_GPU", "electricity_per_kWh"});
  return purchase;
}

Reservation ClusterReader::reservation(const YAML::Node& node) {
  Reservation reservation;
  const auto given = keys_.map(
      node, "reserved",
      {{"nodes", keys_.number(reservation.nodes, limits_of("reserved_nodes"))},
       {"share", keys_.share(reservation.share, limits_of("reserved_share"))},
       {"price_per_GPU_hour", keys_.number(reservation.price_per_GPU_hour, limits_of("reserved_price_per_GPU_hour"))}},
      {"price_per_GPU_hour"});
  if (node.IsMap() && given.contains("nodes") == given.contains("share"))
    keys_.yaml().problem(node, "reserved: give either nodes or share");
  return reservation;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it misses the destructor of std::function

NextDevice ClusterReader::next(const YAML::Node& node, const Cluster& cluster) {
  NextDevice next{.device = {}, .price_per_GPU_hour = cluster.price_per_GPU_hour, .price_range = cluster.price_range};
  if (!cluster.device)
    keys_.yaml().problem(node, "next: the cluster has no device to compare with; give it one as well");
  if (const auto given = device(node)) next.device = *given;
  if (cluster.device && cluster.device->power_watts > 0)
    next.power_kW_per_GPU = cluster.power_kW_per_GPU * next.device.power_watts / cluster.device->power_watts;
  keys_.map(node, "next",
            {{"device", [](auto) {}},
             {"price_per_GPU_hour",
              keys_.estimate(next.price_per_GPU_hour, next.price_range, limits_of("price_per_GPU_hour"))},
             {"power_kW_per_GPU", keys_.number(next.power_kW_per_GPU, limits_of("power_kW_per_GPU"))}},
            {"device"});
  return next;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as above

Transport ClusterReader::transport_in(const YAML::Node& node) {
  std::vector<std::pair<std::string_view, Transport>> choices;
  for (const auto transport : all_transports()) choices.emplace_back(name(transport), transport);
  return keys_.yaml().choice<Transport>("transport", node,
                                        std::span<const std::pair<std::string_view, Transport>>(choices));
}

PathCost ClusterReader::path(const YAML::Node& node, PathKind kind) {
  const std::string called = kind == PathKind::within_node ? "intra" : "network";
  PathCost cost;
  std::string network;
  const bool is_fitted = node.IsMap() && node["transport"] && !node["GBps"];
  keys_.map(node, called,
            {{"alpha_us", keys_.number(cost.alpha_us, 0, 1e9)},
             {"GBps", keys_.estimate(cost.GBps, cost.GBps_range, {1e-6, 1e6})},
             {"burst_bytes", keys_.number(cost.burst_bytes, 0, 1e12)},
             {"transport", [&](auto value) { cost.transport = transport_in(value); }},
             {"network", keys_.text(network)}},
            is_fitted ? std::vector<std::string>{"transport"} : std::vector<std::string>{"alpha_us", "GBps"});
  auto& yaml = keys_.yaml();
  cost.source = "given in " + yaml.file();
  if (!is_fitted) {
    if (node.IsMap() && node["network"])
      yaml.problem(node, "{}: network only applies to a transport of the fit, without GBps", called);
    return cost;
  }
  if (node["burst_bytes"])
    yaml.problem(node, "{}: burst_bytes comes from the fit; leave it out, or give GBps as well", called);
  if (!fit_) {
    yaml.problem(node, "{}: a transport without GBps needs --fit FILE", called);
    return cost;
  }
  try {
    const bool has_alpha = node["alpha_us"].IsDefined();
    return fitted_path(*fit_, kind, cost.transport, network, has_alpha ? std::optional(cost.alpha_us) : std::nullopt);
  } catch (const BadUsage& error) {
    yaml.problem(node, "{}: {}", called, error.what());
    return cost;
  }
}

}  // namespace ringmark::analysis

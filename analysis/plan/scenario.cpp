#include "analysis/plan/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/plan/fitted_path.hpp"
#include "analysis/plan/scenario_problems.hpp"
#include "base/errors.hpp"
#include "base/yaml_reader.hpp"
#include "replay/generate/memory.hpp"

namespace ringmark::analysis {
namespace {

class Reader {
 public:
  Reader(std::string file, const std::optional<Fit>& fit) : read_(std::move(file)), fit_(fit) {}

  Scenario read(const std::string& text) {
    Scenario scenario;
    read_map(read_yaml(read_.file(), text), "the scenario",
             {{"question", [&](auto node) { scenario.question = read_.text(key_, node); }},
              {"tokens", number(scenario.tokens, 1, 1e18)},
              {"sequence", number(scenario.sequence, 1, 1e8)},
              {"models", each([&](auto node) { scenario.models.push_back(model_in(node)); })},
              {"stages", whole_numbers(scenario.stages, 0, 3)},
              {"micro_batch", whole_numbers(scenario.micro_batches, 1, 1 << 20)},
              {"accumulation", whole_numbers(scenario.accumulations, 1, 1 << 20)},
              {"nodes", whole_numbers(scenario.nodes, 1, 1 << 20)},
              {"recompute", truth(scenario.recompute)},
              {"reduce_scatter", truth(scenario.reduce_scatter)},
              {"replay", truth(scenario.replay)},
              {"software", [&](auto node) { scenario.software = software_in(node); }},
              {"overlap", number(scenario.overlap, 0, 1)},
              {"bucket_elements", number(scenario.bucket_elements, 1, 1e12)},
              {"gather_ratio", [&](auto node) { scenario.gather_ratio = read_.number(key_, node, 1.0, 3.0); }},
              {"clusters", each([&](auto node) { scenario.clusters.push_back(cluster_in(node)); })}},
             {"tokens", "models", "clusters"});
    auto problems = read_.problems();
    for (const auto& problem : problems_of(scenario)) problems.push_back({.text = read_.file() + ": " + problem});
    if (!problems.empty()) throw BadUsage(std::move(problems));
    for (auto& model : scenario.models)
      model.gather_ratio = scenario.gather_ratio.value_or(usual_gather_ratio(model.parameters));
    std::sort(scenario.nodes.begin(), scenario.nodes.end());
    return scenario;
  }

 private:
  using Take = std::function<void(const YAML::Node&)>;
  struct Key {
    const char* name;
    Take take;
  };

  void read_map(const YAML::Node& map, const std::string& of, const std::vector<Key>& keys,
                const std::vector<std::string>& required) {
    std::vector<std::string> names;
    for (const auto& key : keys) names.emplace_back(key.name);
    std::set<std::string> seen;
    for (const auto& [name, value, line] : read_.map(of, map, names)) {
      seen.insert(name);
      key_ = name;
      std::find_if(keys.begin(), keys.end(), [&, &name = name](const Key& key) {
        return key.name == name;
      })->take(value);
    }
    for (const auto& name : required) {
      if (map.IsMap() && !seen.contains(name)) read_.problem(map, "{}: {} is missing", of, name);
    }
  }

  template <class Number>
  Take number(Number& to, std::type_identity_t<Number> least, std::type_identity_t<Number> most) {
    return [this, &to, least, most](const YAML::Node& node) { to = read_.number(key_, node, least, most); };
  }
  Take truth(bool& to) {
    return [this, &to](const YAML::Node& node) { to = read_.truth(key_, node); };
  }
  /// A list, or one value for a list of one.
  Take each(Take take) {
    return [this, take = std::move(take)](const YAML::Node& node) {
      if (!node.IsSequence()) return take(node);
      if (node.size() == 0) read_.problem(node, "{}: the list is empty", key_);
      for (const auto& item : node) take(item);
    };
  }
  Take whole_numbers(std::vector<int>& to, int least, int most) {
    return [this, &to, least, most](const YAML::Node& node) {
      to.clear();
      each([&](const YAML::Node& item) {
        const auto problems = read_.problems().size();
        const auto value = read_.number(key_, item, least, most);
        if (read_.problems().size() > problems) return;
        if (std::find(to.begin(), to.end(), value) != to.end())
          return read_.problem(item, "{}: {} is there twice", key_, value);
        to.push_back(value);
      })(node);
    };
  }

  ModelShape model_in(const YAML::Node& node) {
    if (node.IsScalar()) {
      if (const auto known = find_model(node.Scalar())) return *known;
      std::vector<std::string> names;
      for (const auto& model : shipped_models()) names.push_back(model.name);
      read_.problem(node, "there is no model {}; there are {}, or give its shape", node.Scalar(),
                    fmt::join(names, ", "));
      return {};
    }
    ModelShape shape;
    read_map(node, "a model",
             {{"name", [&](auto value) { shape.name = read_.text(key_, value); }},
              {"parameters", number(shape.parameters, 1, 1e15)},
              {"layers", number(shape.layers, 1, 1e5)},
              {"hidden", number(shape.hidden, 1, 1e7)},
              {"vocabulary", number(shape.vocabulary, 1, 1e8)}},
             {"name", "parameters", "layers", "hidden", "vocabulary"});
    constexpr double usual_head_width = 128;
    shape.heads = std::max(1.0, std::floor(shape.hidden / usual_head_width));
    return shape;
  }

  replay::Software::Kind software_in(const YAML::Node& node) {
    using enum replay::Software::Kind;
    return read_.choice<replay::Software::Kind>(key_, node,
                                                {{"unfused", unfused},
                                                 {"fused-attention", fused_attention},
                                                 {"compiled", compiled},
                                                 {"megatron-core", megatron_core}});
  }

  /// The device's figures are defaults, so it is read before them.
  void take_device(const YAML::Node& node, Cluster& cluster) {
    if (!node.IsMap() || !node["device"]) return;
    try {
      cluster.device = replay::load_device(read_.text("device", node["device"]));
    } catch (const BadUsage& error) {
      return read_.problem(node["device"], "device: {}", error.what());
    }
    const auto& device = *cluster.device;
    cluster.peak_TFLOPS = device.peak_TFLOPS;
    cluster.efficiency = device.knows_operators() ? device.product_efficiency : device.efficiency;
    constexpr double GB_of_a_GiB = 1.073741824;
    cluster.memory_GB = device.memory_GiB * GB_of_a_GiB;
    cluster.reserve_GB = cluster.memory_GB * (1 - replay::usable_share);
  }

  Cluster cluster_in(const YAML::Node& node) {
    Cluster cluster;
    take_device(node, cluster);
    read_map(node, "a cluster",
             {{"name", [&](auto value) { cluster.name = read_.text(key_, value); }},
              {"device", [](auto) {}},
              {"gpus_per_node", number(cluster.gpus_per_node, 1, 1024)},
              {"peak_TFLOPS", number(cluster.peak_TFLOPS, 1e-3, 1e6)},
              {"efficiency", number(cluster.efficiency, 1e-3, 1)},
              {"memory_GB", number(cluster.memory_GB, 1e-3, 1e6)},
              {"reserve_GB", number(cluster.reserve_GB, 0, 1e6)},
              {"price_per_GPU_hour", number(cluster.price_per_GPU_hour, 0, 1e6)},
              {"power_kW_per_GPU", number(cluster.power_kW_per_GPU, 0, 1e3)},
              {"intra", [&](auto value) { cluster.intra = path_in(value, "intra"); }},
              {"network", [&](auto value) { cluster.network = path_in(value, "network"); }}},
             cluster.device ? std::vector<std::string>{"name", "intra", "network"}
                            : std::vector<std::string>{"name", "peak_TFLOPS", "intra", "network"});
    return cluster;
  }

  PathCost path_in(const YAML::Node& node, const std::string& called) {
    PathCost cost;
    std::string transport, network;
    const bool is_fitted = node.IsMap() && node["transport"];
    read_map(node, called,
             {{"alpha_us", number(cost.alpha_us, 0, 1e9)},
              {"GBps", number(cost.GBps, 1e-6, 1e6)},
              {"burst_bytes", number(cost.burst_bytes, 0, 1e12)},
              {"transport", [&](auto value) { transport = read_.text(key_, value); }},
              {"network", [&](auto value) { network = read_.text(key_, value); }}},
             is_fitted ? std::vector<std::string>{"transport"} : std::vector<std::string>{"alpha_us", "GBps"});
    cost.source = "given in " + read_.file();
    const bool has_figures = node.IsMap() && (node["alpha_us"] || node["GBps"] || node["burst_bytes"]);
    if (!is_fitted && node.IsMap() && node["network"])
      read_.problem(node, "{}: network goes with transport, which is missing", called);
    if (!is_fitted) return cost;
    if (has_figures)
      read_.problem(node, "{}: give a transport of the fit, or alpha_us, GBps and burst_bytes, not both", called);
    if (!fit_) {
      read_.problem(node, "{}: it names a transport, so it needs --fit FILE", called);
      return cost;
    }
    try {
      return fitted_path(*fit_, transport, network);
    } catch (const BadUsage& error) {
      read_.problem(node, "{}: {}", called, error.what());
      return cost;
    }
  }

  YamlReader read_;
  const std::optional<Fit>& fit_;
  std::string key_;  ///< whose value is read
};

}  // namespace

Scenario read_scenario(const std::string& file, const std::string& text, const std::optional<Fit>& fit) {
  return Reader(file, fit).read(text);
}

}  // namespace ringmark::analysis

#include "analysis/plan/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "analysis/plan/fitted_path.hpp"
#include "analysis/plan/scenario_problems.hpp"
#include "transports/errors.hpp"

namespace ringmark::analysis {
namespace {

class Reader {
 public:
  Reader(std::string file, const std::optional<Fit>& fit) : file_(std::move(file)), fit_(fit) {}

  Scenario read(const std::string& text) {
    Scenario scenario;
    try {
      const auto root = YAML::Load(text);
      if (!root.IsMap()) throw BadUsage(fmt::format("{}: not a scenario: a map of keys is expected", file_));
      read_map(root, "the scenario",
               {{"question", [&](auto node) { scenario.question = text_in(node); }},
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
                {"overlap", number(scenario.overlap, 0, 1)},
                {"bucket_elements", number(scenario.bucket_elements, 1, 1e12)},
                {"gather_ratio", [&](auto node) { scenario.gather_ratio = number_in(node, 1, 3); }},
                {"clusters", each([&](auto node) { scenario.clusters.push_back(cluster_in(node)); })}},
               {"tokens", "models", "clusters"});
      for (const auto& problem : problems_of(scenario)) problems_.push_back(file_ + ": " + problem);
    } catch (const YAML::Exception& error) {
      problems_.push_back(fmt::format("{}:{}: {}", file_, error.mark.line + 1, error.msg));
    }
    if (!problems_.empty()) throw BadUsage(fmt::format("{}", fmt::join(problems_, "\n")));
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

  void complain(const YAML::Node& node, const std::string& what) {
    problems_.push_back(fmt::format("{}:{}: {}", file_, node.Mark().line + 1, what));
  }

  void read_map(const YAML::Node& map, const std::string& of, const std::vector<Key>& keys,
                const std::vector<std::string>& required) {
    if (!map.IsMap()) return complain(map, of + ": a map of keys is expected");
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const auto name = entry.first.as<std::string>();
      const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == name; });
      if (key == keys.end()) {
        std::vector<std::string> names;
        for (const auto& each : keys) names.emplace_back(each.name);
        complain(entry.first, fmt::format("{}: there is no key {}; there are {}", of, name, fmt::join(names, ", ")));
      } else if (!seen.insert(name).second) {
        complain(entry.first, fmt::format("{}: {} is there twice", of, name));
      } else {
        key_ = name;
        key->take(entry.second);
      }
    }
    for (const auto& name : required) {
      if (!seen.contains(name)) complain(map, fmt::format("{}: {} is missing", of, name));
    }
  }

  std::string text_in(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    complain(node, key_ + ": a text is expected");
    return "";
  }

  std::optional<double> number_in(const YAML::Node& node, double least, double most) {
    double value{};
    try {
      value = node.as<double>();
    } catch (const YAML::Exception&) {
      value = std::nan("");
    }
    if (value >= least && value <= most) return value;
    complain(node, fmt::format("{}: a number from {} to {} is expected", key_, least, most));
    return std::nullopt;
  }

  Take number(double& to, double least, double most) {
    return [this, &to, least, most](const YAML::Node& node) { to = number_in(node, least, most).value_or(to); };
  }
  Take truth(bool& to) {
    return [this, &to](const YAML::Node& node) {
      try {
        to = node.as<bool>();
      } catch (const YAML::Exception&) {
        complain(node, key_ + ": true or false is expected");
      }
    };
  }
  /// A list, or one value for a list of one.
  Take each(Take take) {
    return [this, take = std::move(take)](const YAML::Node& node) {
      if (!node.IsSequence()) return take(node);
      if (node.size() == 0) complain(node, key_ + ": the list is empty");
      for (const auto& item : node) take(item);
    };
  }
  Take whole_numbers(std::vector<int>& to, int least, int most) {
    return [this, &to, least, most](const YAML::Node& node) {
      to.clear();
      each([&](const YAML::Node& item) {
        const auto value = number_in(item, least, most);
        if (!value) return;
        if (*value != std::floor(*value)) return complain(item, key_ + ": a whole number is expected");
        const auto whole = static_cast<int>(*value);
        if (std::find(to.begin(), to.end(), whole) != to.end())
          return complain(item, fmt::format("{}: {} is there twice", key_, whole));
        to.push_back(whole);
      })(node);
    };
  }

  ModelShape model_in(const YAML::Node& node) {
    if (node.IsScalar()) {
      if (const auto known = find_model(node.Scalar())) return *known;
      std::vector<std::string> names;
      for (const auto& model : shipped_models()) names.push_back(model.name);
      complain(node, fmt::format("there is no model {}; there are {}, or give its shape", node.Scalar(),
                                 fmt::join(names, ", ")));
      return {};
    }
    ModelShape shape;
    read_map(node, "a model",
             {{"name", [&](auto value) { shape.name = text_in(value); }},
              {"parameters", number(shape.parameters, 1, 1e15)},
              {"layers", number(shape.layers, 1, 1e5)},
              {"hidden", number(shape.hidden, 1, 1e7)},
              {"vocabulary", number(shape.vocabulary, 1, 1e8)}},
             {"name", "parameters", "layers", "hidden", "vocabulary"});
    return shape;
  }

  Cluster cluster_in(const YAML::Node& node) {
    Cluster cluster;
    read_map(node, "a cluster",
             {{"name", [&](auto value) { cluster.name = text_in(value); }},
              {"gpus_per_node", number(cluster.gpus_per_node, 1, 1024)},
              {"peak_TFLOPS", number(cluster.peak_TFLOPS, 1e-3, 1e6)},
              {"efficiency", number(cluster.efficiency, 1e-3, 1)},
              {"memory_GB", number(cluster.memory_GB, 1e-3, 1e6)},
              {"reserve_GB", number(cluster.reserve_GB, 0, 1e6)},
              {"price_per_GPU_hour", number(cluster.price_per_GPU_hour, 0, 1e6)},
              {"power_kW_per_GPU", number(cluster.power_kW_per_GPU, 0, 1e3)},
              {"intra", [&](auto value) { cluster.intra = path_in(value, "intra"); }},
              {"network", [&](auto value) { cluster.network = path_in(value, "network"); }}},
             {"name", "peak_TFLOPS", "intra", "network"});
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
              {"transport", [&](auto value) { transport = text_in(value); }},
              {"network", [&](auto value) { network = text_in(value); }}},
             is_fitted ? std::vector<std::string>{"transport"} : std::vector<std::string>{"alpha_us", "GBps"});
    cost.source = "given in " + file_;
    const bool has_figures = node.IsMap() && (node["alpha_us"] || node["GBps"] || node["burst_bytes"]);
    if (!is_fitted && node.IsMap() && node["network"])
      complain(node, called + ": network goes with transport, which is missing");
    if (!is_fitted) return cost;
    if (has_figures)
      complain(node, called + ": give a transport of the fit, or alpha_us, GBps and burst_bytes, not both");
    if (!fit_) {
      complain(node, called + ": it names a transport, so it needs --fit FILE");
      return cost;
    }
    try {
      return fitted_path(*fit_, transport, network);
    } catch (const BadUsage& error) {
      complain(node, fmt::format("{}: {}", called, error.what()));
      return cost;
    }
  }

  std::string file_;
  const std::optional<Fit>& fit_;
  std::string key_;
  std::vector<std::string> problems_;
};

}  // namespace

Scenario read_scenario(const std::string& file, const std::string& text, const std::optional<Fit>& fit) {
  return Reader(file, fit).read(text);
}

}  // namespace ringmark::analysis

#include "analysis/plan/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/ranges.h>

#include "analysis/plan/cluster_reader.hpp"
#include "analysis/plan/key_reader.hpp"
#include "analysis/plan/plan_row.hpp"
#include "analysis/plan/scenario_problems.hpp"
#include "analysis/plan/searched.hpp"
#include "base/errors.hpp"
#include "base/flags/option.hpp"

namespace ringmark::analysis {
namespace {

constexpr int most_sharing = 1 << 16;

class Reader {
 public:
  Reader(std::string file, const std::optional<Fit>& fit) : keys_(std::move(file)), clusters_(keys_, fit) {}

  Scenario read(const std::string& text) {
    Scenario scenario;
    Failures failures;
    std::vector<YAML::Node> models, clusters;  // read last, since they depend on keys that may come after them
    std::vector<KeyReader::Key> keys{
        {"question", keys_.text(scenario.question)},
        {"tokens", keys_.number(scenario.tokens, limits_of("tokens"))},
        {"sequence", keys_.number(scenario.sequence, 1, 1e8)},
        {"global_batch_sequences", [&](auto node) { scenario.global_batch = whole(node, 1, most_global_batch); }},
        {"models", keys_.each([&](auto node) { models.push_back(node); })},
        {"framework", [&](auto node) { scenario.framework = framework_in(node); }},
        {"stages", keys_.whole_numbers(scenario.stages, 0, 3)},
        {"tp", keys_.whole_numbers(scenario.parallel.tensor, 1, most_sharing)},
        {"pp", keys_.whole_numbers(scenario.parallel.pipeline, 1, most_sharing)},
        {"vp", keys_.whole_numbers(scenario.parallel.chunks, 1, most_sharing)},
        {"cp", keys_.whole_numbers(scenario.parallel.context, 1, most_sharing)},
        {"ep", keys_.whole_numbers(scenario.parallel.expert, 1, most_sharing)},
        {"shard_degree", keys_.values(scenario.shard_groups, [&](auto node) { return shard_group_in(node, 2); })},
        {"zero_hpz_partition_size",
         keys_.values(scenario.shard_groups, [&](auto node) { return shard_group_in(node, 1); })},
        {"micro_batch", keys_.whole_numbers(scenario.micro_batches, 1, 1 << 20)},
        {"accumulation", keys_.whole_numbers(scenario.accumulations, 1, 1 << 20)},
        {"nodes", keys_.whole_numbers(scenario.nodes, 1, 1 << 20)},
        {"recompute", keys_.values(scenario.recompute, [&](auto node) { return recompute_in(node); })},
        {"reduce_scatter", keys_.truth(scenario.reduce_scatter)},
        {"software", [&](auto node) { scenario.software = software_in(node); }},
        {"product_dtype", [&](auto node) { scenario.products = products_in(node); }},
        {"reduce_dtype", [&](auto node) { scenario.reduce_type = reduce_type_in(node); }},
        {"overlap_comm", keys_.truth(scenario.overlaps)},
        {"replay", [&](auto node) { require_simulation(node); }},
        {"overlap", removed("DeepSpeed's own rules of overlap are simulated", "give overlap_comm: true or false")},
        {"gather_ratio", removed("the simulation counts what is gathered", "remove it")},
        {"bucket_elements", keys_.number(scenario.bucket_elements, 1, 1e12)},
        {"deadline_days", keys_.number(scenario.deadline_days, limits_of("deadline_days"))},
        {"budget", keys_.number(scenario.budget, limits_of("budget"))},
        {"certainty", keys_.share(scenario.certainty, limits_of("certainty"))},
        {"currency", keys_.text(scenario.currency)},
        {"start", [&](auto node) { scenario.start = day_in(node); }},
        {"utilisation", keys_.share(scenario.utilisation, limits_of("utilisation"))},
        {"what_if", [&](auto node) { read_what_if(node, scenario); }},
        {"clusters", keys_.each([&](auto node) { clusters.push_back(node); })}};
    for (auto& key : clusters_.failure_keys(failures)) keys.push_back(std::move(key));
    scenario.file = keys_.yaml().file();
    scenario.given = keys_.map(read_yaml(scenario.file, text), "the scenario", keys, {"tokens", "models", "clusters"});
    for (const auto& node : models) scenario.models.push_back(model_in(node, scenario.has_roles()));
    for (const auto& node : clusters) scenario.clusters.push_back(clusters_.cluster(node, failures));
    auto problems = keys_.yaml().problems();
    if (problems.empty()) fill_in_searched(scenario);
    scenario.compared = compared_steps(scenario);
    for (auto& problem : problems_of(scenario)) {
      problem.place = Place{keys_.yaml().file()};
      problems.push_back(std::move(problem));
    }
    if (!problems.empty()) {
      sort_by_place(problems);
      throw BadUsage(std::move(problems));
    }
    std::sort(scenario.nodes.begin(), scenario.nodes.end());
    return scenario;
  }

 private:
  int whole(const YAML::Node& node, int least, int most) { return keys_.yaml().number(keys_.key(), node, least, most); }

  KeyReader::Take removed(const char* why, const char* remedy) {
    return [this, why, remedy](const YAML::Node& node) {
      keys_.yaml().problem(node, "{}: this key was removed: {}; {}", keys_.key(), why, remedy);
    };
  }

  /// `replay: true` used to be optional; a plan now always simulates.
  void require_simulation(const YAML::Node& node) {
    bool is_wanted = true;
    keys_.truth(is_wanted)(node);
    if (!is_wanted) keys_.yaml().problem(node, "replay: every step is simulated; remove the key");
  }

  void read_what_if(const YAML::Node& node, Scenario& scenario) {
    keys_.map(node, "what_if",
              {{"network_times", keys_.number(scenario.network_times, 1, 1e3)},
               {"memory_times", keys_.number(scenario.memory_times, 1, 1e3)}},
              {});
  }

  ModelShape model_in(const YAML::Node& node, bool is_for_megatron) {
    auto& yaml = keys_.yaml();
    if (node.IsScalar()) {
      if (auto known = find_model(node.Scalar())) return *known;
      std::error_code error;
      try {
        if (std::filesystem::is_regular_file(node.Scalar(), error))
          return is_for_megatron ? transformer_of_file(node.Scalar()) : model_of_file(node.Scalar());
      } catch (const BadUsage& problem) {
        yaml.problem(node, "models: {}", problem.what());
        return {.name = node.Scalar()};
      }
      std::vector<std::string> names;
      for (const auto& model : shipped_models()) names.push_back(model.name);
      yaml.problem(node, "unknown model {}; available: {}; or give its file or its shape", node.Scalar(),
                   fmt::join(names, ", "));
      return {.name = node.Scalar()};
    }
    ModelShape shape;
    keys_.map(node, "a model",
              {{"name", keys_.text(shape.name)},
               {"parameters", keys_.number(shape.parameters, 1, 1e15)},
               {"layers", keys_.number(shape.layers, 1, 1e5)},
               {"hidden", keys_.number(shape.hidden, 1, 1e7)},
               {"vocabulary", keys_.number(shape.vocabulary, 1, 1e8)}},
              {"name", "parameters", "layers", "hidden", "vocabulary"});
    constexpr double usual_head_width = 128;
    shape.heads = std::max(1.0, std::floor(shape.hidden / usual_head_width));
    if (shape.hidden > 0 && shape.layers > 0) {
      shape.model = std::make_shared<const replay::Model>(model_of_shape(shape));
      shape.transformer = std::make_shared<const replay::Transformer>(transformer_of_shape(shape));
    }
    return shape;
  }

  std::optional<Day> day_in(const YAML::Node& node) {
    const auto day = node.IsScalar() ? parse_day(node.Scalar()) : std::nullopt;
    if (!day)
      keys_.yaml().problem(node, "start: {} is not a day; give one such as 2027-01-15", YamlReader::shown(node));
    return day;
  }

  replay::Framework framework_in(const YAML::Node& node) {
    const auto word = keys_.yaml().text(keys_.key(), node);
    if (const auto framework = replay::parse_framework(word)) return *framework;
    keys_.yaml().problem(node,
                         "framework: '{}' is unknown; give deepspeed, pytorch-ddp, pytorch-fsdp, pytorch-fsdp2 or "
                         "megatron, with or without a version",
                         word);
    return {};
  }

  ShardGroup shard_group_in(const YAML::Node& node, int least) {
    constexpr int most = 1 << 20;
    int number = 0;
    if (node.IsScalar() && node.Scalar() == "all") return {};
    if (node.IsScalar() && node.Scalar() == "node") return {ShardGroup::Kind::node};
    if (node.IsScalar() && read_number(node.Scalar(), least, most, number))
      return number > 1 ? ShardGroup{ShardGroup::Kind::number, number} : ShardGroup{};
    keys_.yaml().problem(node, "{}: give all, node, or a number of GPUs from {} to {}", keys_.key(), least, most);
    return {};
  }

  replay::Recompute recompute_in(const YAML::Node& node) {
    if (node.IsScalar()) {
      if (const auto recompute = replay::parse_recompute(node.Scalar())) return *recompute;
    }
    keys_.yaml().problem(node, "{}: give {}", keys_.key(), replay::recompute_words);
    return {};
  }

  replay::Software::Kind software_in(const YAML::Node& node) {
    using Choice = std::pair<std::string_view, replay::Software::Kind>;
    const auto choices = replay::software_choices();
    return keys_.yaml().choice<replay::Software::Kind>(keys_.key(), node, std::span<const Choice>(choices));
  }

  DataType reduce_type_in(const YAML::Node& node) {
    return keys_.yaml().choice<DataType>(keys_.key(), node,
                                         {{"fp32", DataType::float32}, {"bf16", DataType::bfloat16}});
  }

  replay::ProductType products_in(const YAML::Node& node) {
    using enum replay::ProductType;
    return keys_.yaml().choice<replay::ProductType>(keys_.key(), node, {{"model", models}, {"fp8", float8}});
  }

  KeyReader keys_;
  ClusterReader clusters_;
};

}  // namespace

bool Scenario::has_prices() const {
  return std::any_of(clusters.begin(), clusters.end(), [](const Cluster& each) { return each.has_price(); });
}

Scenario read_scenario(const std::string& file, const std::string& text, const std::optional<Fit>& fit) {
  return Reader(file, fit).read(text);
}

}  // namespace ringmark::analysis

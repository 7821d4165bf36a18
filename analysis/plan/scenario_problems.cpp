#include "analysis/plan/scenario_problems.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "replay/step/compute_model.hpp"

namespace ringmark::analysis {
namespace {

/// Names go into cells, and spreadsheets compare without case and with wildcards.
void check_names(const char* what, const std::vector<std::string>& names, std::vector<Problem>& problems) {
  constexpr std::size_t longest = 60;
  std::set<std::string> seen;
  for (const auto& name : names) {
    auto folded = name;
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool is_plain = !name.empty() && name.size() <= longest &&
                          name.find_first_of("\"*?~<>=\n\t") == std::string::npos &&
                          std::string_view("+-@").find(name[0]) == std::string_view::npos;
    if (!is_plain) {
      problems.push_back({.text = fmt::format("invalid name of a {}: '{}'", what, name.substr(0, longest)),
                          .remedy = fmt::format(
                              "give 1 to {} characters without \"*?~<>= that do not begin with +, - or @", longest)});
    } else if (!seen.insert(folded).second) {
      problems.push_back(
          {.text = fmt::format("two {}s are called {}", what, name),
           .remedy = "a model from a file is named after the file, or after the folder of a config.json"});
    }
  }
}

void check_rows(const Scenario& scenario, std::vector<Problem>& problems) {
  constexpr double most = 200000;  // that a search can compare in a minute
  const double rows =
      static_cast<double>(scenario.models.size() * scenario.clusters.size() * scenario.stages.size()) *
      static_cast<double>(scenario.micro_batches.size() * scenario.accumulations.size() * scenario.nodes.size()) *
      static_cast<double>(scenario.shard_groups.size() * scenario.recompute.size());
  if (rows > most)
    problems.push_back({.text = fmt::format("{} combinations; at most {} can be planned", rows, most),
                        .remedy = "give fewer stages, micro-batches or nodes"});
}

void check_sharding(const Scenario& scenario, std::vector<Problem>& problems) {
  const auto known = stages_of(scenario.framework.kind);
  for (const int stage : scenario.stages) {
    if (std::find(known.begin(), known.end(), stage) == known.end())
      problems.push_back({.flag = "stages",
                          .value = std::to_string(stage),
                          .text = scenario.framework.text() + " has no such stage",
                          .remedy = fmt::format("give {}", fmt::join(known, ", "))});
  }
  const auto own = shard_group_key(scenario.framework.kind);
  for (const std::string key : {"shard_degree", "zero_hpz_partition_size"}) {
    if (!scenario.given.contains(key) || key == own) continue;
    problems.push_back({.flag = key,
                        .text = scenario.framework.text() + " has no such setting",
                        .remedy = own.empty() ? "remove it" : fmt::format("give {}", own)});
  }
}

void check_parallelism(const Scenario& scenario, std::vector<Problem>& problems) {
  for (const std::string key : {"tp", "pp", "vp", "cp", "ep", "reduce_dtype"}) {
    if (scenario.given.contains(key) && !scenario.has_roles())
      problems.push_back({.flag = key,
                          .text = scenario.framework.text() + ": it only applies to Megatron's steps",
                          .remedy = "give framework: megatron"});
  }
  for (const std::string key : {"bucket_elements", "overlap_comm"}) {
    if (scenario.given.contains(key) && scenario.has_roles())
      problems.push_back({.flag = key, .text = "not planned for Megatron's steps", .remedy = "remove it"});
  }
}

void check_recompute(const Scenario& scenario, std::vector<Problem>& problems) {
  for (const auto& model : scenario.models)
    for (const auto& recompute : scenario.recompute) {
      if (!model.model) continue;
      if (auto problem = replay::problem_of_recompute(*model.model, recompute, "recompute"))
        problems.push_back(std::move(*problem));
    }
}

void check_failures(const Cluster& cluster, std::vector<Problem>& problems) {
  const auto& failures = cluster.failures;
  const bool has_costs =
      failures.checkpoint_write_s > 0 || failures.restart_s > 0 || failures.checkpoint_interval_s.has_value();
  if (failures.node_mtbf_hours <= 0 && has_costs)
    problems.push_back(
        {.flag = "node_mtbf_hours",
         .text = fmt::format("missing for cluster {}, which has checkpoint or restart times", cluster.name),
         .remedy = "give the mean hours between two failures of a node"});
  if (failures.node_mtbf_hours > 0 && failures.checkpoint_write_s <= 0)
    problems.push_back({.flag = "checkpoint_write_s",
                        .text = fmt::format("missing for cluster {}, whose nodes fail", cluster.name),
                        .remedy = "give the seconds for which a checkpoint holds up training"});
}

void check_products(const Cluster& cluster, replay::ProductType products, std::vector<Problem>& problems) {
  const std::string key = "product_dtype";
  const auto require = [&](const replay::Device& device) {
    auto problem = replay::problem_of_products(device, products, key);
    if (!problem) return;
    problem->text = fmt::format("cluster {}: {}", cluster.name, problem->text);
    problems.push_back(*problem);
  };
  if (cluster.device) {
    require(*cluster.device);
  } else if (products == replay::ProductType::float8) {
    problems.push_back({.flag = key,
                        .value = "fp8",
                        .text = fmt::format("cluster {}: without a device, their speed is unknown", cluster.name),
                        .remedy = "give a device that has peak_TFLOPS_float8, such as h100"});
  }
  if (cluster.next) require(cluster.next->device);
}

void check_clusters(const Scenario& scenario, std::vector<Problem>& problems) {
  std::vector<std::string> names;
  for (const auto& cluster : scenario.clusters) {
    names.push_back(cluster.name);
    if (cluster.gpus_per_node != std::floor(cluster.gpus_per_node))
      problems.push_back({.text = fmt::format("cluster {}: gpus_per_node must be a whole number", cluster.name)});
    if (cluster.reserve_GB >= cluster.memory_GB)
      problems.push_back({.text = fmt::format("cluster {}: reserve_GB must be below memory_GB", cluster.name)});
    if ((scenario.budget || scenario.has_prices()) && !cluster.has_price())
      problems.push_back({.flag = "price_per_GPU_hour",
                          .text = fmt::format("missing for cluster {}, and {}", cluster.name,
                                              scenario.budget ? "there is a budget" : "another cluster has one"),
                          .remedy = scenario.budget ? "give a price to all clusters, or remove the budget"
                                                    : "give a price to all clusters, or to none"});
    check_failures(cluster, problems);
    check_products(cluster, scenario.products, problems);
  }
  check_names("cluster", names, problems);
}

}  // namespace

std::vector<Problem> problems_of(const Scenario& scenario) {
  std::vector<Problem> problems;
  check_rows(scenario, problems);
  check_clusters(scenario, problems);
  std::vector<std::string> models;
  for (const auto& model : scenario.models) models.push_back(model.name);
  check_names("model", models, problems);
  check_sharding(scenario, problems);
  check_parallelism(scenario, problems);
  check_recompute(scenario, problems);
  if (scenario.reduce_scatter && scenario.framework.kind != replay::Framework::Kind::deepspeed)
    problems.push_back(
        {.flag = "reduce_scatter",
         .text = "applies only to DeepSpeed's stages 1 and 2; " + scenario.framework.text() + " has none",
         .remedy = "remove it"});
  const bool has_several = scenario.accumulations.size() > 1 || scenario.accumulations != std::vector{1};
  if (scenario.global_batch && !scenario.accumulations.empty() && has_several)
    problems.push_back(
        {.flag = "accumulation", .text = "it follows from global_batch_sequences", .remedy = "leave one out"});
  constexpr std::size_t longest = 8;
  const auto& currency = scenario.currency;
  if (currency.empty() || currency.size() > longest || currency.find_first_of("\"\n\t[]=") != std::string::npos)
    problems.push_back({.flag = "currency",
                        .value = currency.substr(0, longest),
                        .text = fmt::format("give 1 to {} bytes, such as EUR", longest)});
  return problems;
}

}  // namespace ringmark::analysis

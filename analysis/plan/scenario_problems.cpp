#include "analysis/plan/scenario_problems.hpp"

#include <cctype>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

/// Names go into cells, and spreadsheets compare without case and with wildcards.
void check_names(const char* what, const std::vector<std::string>& names, std::vector<std::string>& problems) {
  constexpr std::size_t longest = 60;
  std::set<std::string> seen;
  for (const auto& name : names) {
    auto folded = name;
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool is_plain = !name.empty() && name.size() <= longest &&
                          name.find_first_of("\"*?~<>=\n\t") == std::string::npos &&
                          std::string_view("+-@").find(name[0]) == std::string_view::npos;
    if (!is_plain) {
      problems.push_back(
          fmt::format("a {} is called '{}'; give 1 to {} characters without \"*?~<>= that do not begin "
                      "with +, - or @",
                      what, name.substr(0, longest), longest));
    } else if (!seen.insert(folded).second) {
      problems.push_back(fmt::format("two {}s are called {}", what, name));
    }
  }
}

void check_rows(const Scenario& scenario, std::vector<std::string>& problems) {
  constexpr double most = 50000;  // of a sheet that anyone can work with
  const double rows =
      static_cast<double>(scenario.models.size() * scenario.clusters.size() * scenario.stages.size()) *
      static_cast<double>(scenario.micro_batches.size() * scenario.accumulations.size() * scenario.nodes.size());
  if (rows > most) problems.push_back(fmt::format("{} combinations; at most {} are planned", rows, most));
  std::vector<std::string> clusters, models;
  for (const auto& cluster : scenario.clusters) {
    clusters.push_back(cluster.name);
    if (cluster.gpus_per_node != std::floor(cluster.gpus_per_node)) {
      problems.push_back(fmt::format("cluster {}: gpus_per_node is a whole number", cluster.name));
    }
    if (cluster.reserve_GB >= cluster.memory_GB) {
      problems.push_back(fmt::format("cluster {}: reserve_GB leaves nothing of memory_GB", cluster.name));
    }
  }
  for (const auto& model : scenario.models) models.push_back(model.name);
  check_names("cluster", clusters, problems);
  check_names("model", models, problems);
}

}  // namespace

std::vector<std::string> problems_of(const Scenario& scenario) {
  std::vector<std::string> problems;
  check_rows(scenario, problems);
  if (scenario.replay && scenario.gather_ratio)
    problems.emplace_back("gather_ratio: with replay: true the replayer knows what is gathered; leave one out");
  return problems;
}

}  // namespace ringmark::analysis

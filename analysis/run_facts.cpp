#include "analysis/run_facts.hpp"

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/input.hpp"
#include "results/run_id.hpp"

namespace ringmark::analysis {
namespace {

constexpr int most_depth = 16;  ///< a sweep's manifest has six

void flatten(const nlohmann::json& value, const std::string& folder, const std::string& what,
             std::vector<RunFact>& facts, int depth = 0) {
  if (depth > most_depth) {
    facts.push_back({folder, what, "…"});
    return;
  }
  if (value.is_object()) {
    for (const auto& [key, each] : value.items())
      flatten(each, folder, what.empty() ? key : fmt::format("{}, {}", what, key), facts, depth + 1);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      flatten(value[i], folder, fmt::format("{} {}", what, i + 1), facts, depth + 1);
  } else if (!value.is_null()) {
    facts.push_back({folder, what, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

}  // namespace

std::vector<RunFact> run_facts(const std::vector<std::string>& paths) {
  std::vector<RunFact> facts;
  for (const auto& path : paths) {
    const auto manifest = std::filesystem::path(path) / "manifest.json";
    std::error_code no_path;
    if (!std::filesystem::exists(manifest, no_path)) continue;
    try {
      flatten(nlohmann::json::parse(whole_file(manifest.string(), manifest.string())), path, "", facts);
    } catch (const nlohmann::json::exception&) {
      facts.push_back({path, "manifest.json", "is no JSON"});
    } catch (const BadUsage& error) {
      facts.push_back({path, "manifest.json", error.what()});
    }
  }
  return facts;
}

std::vector<std::string> hosts_of(const std::vector<std::string>& run_ids, const std::vector<RunFact>& facts) {
  std::set<std::string> sweeps, folders, hosts;
  for (const auto& run_id : run_ids) sweeps.insert(parse_run_id(run_id).run);
  for (const auto& fact : facts) {
    if (fact.what == "run_id" && sweeps.contains(fact.value)) folders.insert(fact.folder);
  }
  for (const auto& fact : facts) {
    const bool is_host = fact.what.find(", nodes, ") != std::string::npos && fact.what.ends_with(", host");
    if (is_host && folders.contains(fact.folder)) hosts.insert(fact.value);
  }
  return {hosts.begin(), hosts.end()};
}

}  // namespace ringmark::analysis

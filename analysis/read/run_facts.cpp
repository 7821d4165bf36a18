#include "analysis/read/run_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t most_depth = 16;  ///< a sweep's manifest has six

/// `keys` lead to the value. Items of lists within a list share a key, so `depth` may exceed the number of keys.
void flatten(const nlohmann::json& value, const std::string& folder, std::size_t depth, std::vector<std::string>& keys,
             std::vector<RunFact>& facts) {
  const auto descend = [&](const nlohmann::json& each, std::string key) {
    keys.push_back(std::move(key));
    flatten(each, folder, depth + 1, keys, facts);
    keys.pop_back();
  };
  if (depth > most_depth) {
    facts.push_back({folder, keys, "…"});
  } else if (value.is_object()) {
    for (const auto& [key, each] : value.items()) descend(each, key);
  } else if (value.is_array()) {
    const auto key = keys.empty() ? std::string() : keys.back();
    if (!keys.empty()) keys.pop_back();
    for (std::size_t i = 0; i < value.size(); ++i) descend(value[i], fmt::format("{} {}", key, i + 1));
    keys.push_back(key);
  } else if (!value.is_null()) {
    facts.push_back({folder, keys, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

}  // namespace

std::string RunFact::what() const { return fmt::format("{}", fmt::join(keys, ", ")); }

std::vector<RunFact> run_facts(const std::vector<std::string>& paths) {
  std::vector<RunFact> facts;
  for (const auto& path : paths) {
    const auto manifest = std::filesystem::path(path) / "manifest.json";
    std::error_code no_path;
    if (!std::filesystem::exists(manifest, no_path)) continue;
    try {
      std::vector<std::string> keys;
      flatten(nlohmann::json::parse(read_file(manifest.string())), path, 0, keys, facts);
    } catch (const nlohmann::json::exception&) {
      facts.push_back({path, {"manifest.json"}, "is not JSON"});
    } catch (const std::system_error& error) {
      facts.push_back({path, {"manifest.json"}, error.what()});
    }
  }
  return facts;
}

std::vector<std::string> hosts_of(const std::vector<std::string>& run_ids, const std::vector<RunFact>& facts) {
  std::set<std::string> folders, hosts;
  const auto has_launch = [&](const std::string& sweep) {
    return std::any_of(run_ids.begin(), run_ids.end(),
                       [&](const auto& run_id) { return run_id == sweep || run_id.starts_with(sweep + "."); });
  };
  for (const auto& fact : facts) {
    if (fact.keys == std::vector<std::string>{"run_id"} && has_launch(fact.value)) folders.insert(fact.folder);
  }
  for (const auto& fact : facts) {
    const auto depth = fact.keys.size();
    const bool is_host = depth >= 3 && fact.keys[depth - 3] == "nodes" && fact.keys.back() == "host";
    if (is_host && folders.contains(fact.folder)) hosts.insert(fact.value);
  }
  return {hosts.begin(), hosts.end()};
}

}  // namespace ringmark::analysis

#include "analysis/run_facts.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/read_results.hpp"

namespace ringmark::analysis {
namespace {

void flatten(const nlohmann::json& value, const std::string& folder, const std::string& what,
             std::vector<RunFact>& facts) {
  if (value.is_object()) {
    for (const auto& [key, each] : value.items())
      flatten(each, folder, what.empty() ? key : fmt::format("{}, {}", what, key), facts);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) flatten(value[i], folder, fmt::format("{} {}", what, i + 1), facts);
  } else if (!value.is_null()) {
    facts.push_back({folder, what, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

}  // namespace

std::vector<RunFact> run_facts(const std::vector<std::string>& paths) {
  std::vector<RunFact> facts;
  for (const auto& path : paths) {
    const auto manifest = std::filesystem::path(path) / "manifest.json";
    if (!std::filesystem::exists(manifest)) continue;
    const auto json = nlohmann::json::parse(whole_file(manifest.string()), nullptr, false);
    if (json.is_discarded()) {
      facts.push_back({path, "manifest.json", "is no JSON"});
    } else {
      flatten(json, path, "", facts);
    }
  }
  return facts;
}

}  // namespace ringmark::analysis

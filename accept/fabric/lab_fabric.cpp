#include "accept/fabric/lab_fabric.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringmark::accept {
namespace {

struct LabFabric {
  std::vector<std::string> hosts;
  std::vector<std::pair<std::string, std::vector<std::string>>> leaves;  ///< with their hosts, in order
  std::size_t spines = 0, rails = 1;
};

LabFabric parsed(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  try {
    LabFabric described{json.at("hosts"), {}, json.at("spines"), json.at("rails")};
    for (const auto& [name, behind] : json.at("leaves").get_ref<const nlohmann::ordered_json::object_t&>())
      described.leaves.emplace_back(name, behind.get<std::vector<std::string>>());
    return described;
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

bool fill_from_lab(const std::string& lab, Fabric& fabric, const GivenFabric& given) {
  const auto described = parsed(lab);
  if (fabric.hosts.empty()) fabric.hosts = described.hosts;
  std::map<std::string, std::size_t> places;
  for (std::size_t host = 0; host < fabric.hosts.size(); ++host) {
    if (std::find(described.hosts.begin(), described.hosts.end(), fabric.hosts[host]) == described.hosts.end())
      return false;
    places[fabric.hosts[host]] = host;
  }
  if (places.empty()) return false;
  if (!given.spines) fabric.spines = described.spines;
  if (!given.rails) fabric.rails = std::max<std::size_t>(described.rails, 1);
  if (given.leaves) return true;
  for (const auto& [name, behind] : described.leaves) {
    Leaf leaf{name, {}};
    for (const auto& host : behind) {
      if (const auto place = places.find(host); place != places.end()) leaf.hosts.push_back(place->second);
    }
    if (!leaf.hosts.empty()) fabric.leaves.push_back(std::move(leaf));
  }
  return true;
}

}  // namespace ringmark::accept

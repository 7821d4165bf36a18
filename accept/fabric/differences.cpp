#include "accept/fabric/differences.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace ringmark::accept {
namespace {

constexpr std::array that_matter{std::string_view("mtu"),
                                 std::string_view("operstate"),
                                 std::string_view("speed"),
                                 std::string_view("duplex"),
                                 std::string_view("fw_ver"),
                                 std::string_view("hca_type"),
                                 std::string_view("rate"),
                                 std::string_view("current_link_width"),
                                 std::string_view("current_link_speed")};
/// Facts that differ on every host.
constexpr std::array of_one_host{std::string_view("host"), std::string_view("node_guid"),
                                 std::string_view("carrier_down_count"), std::string_view("link_downed")};

/// Interfaces that come and go with containers and virtual machines.
constexpr std::array of_guests{std::string_view("docker"),  std::string_view("br-"),  std::string_view("virbr"),
                               std::string_view("veth"),    std::string_view("cni"),  std::string_view("cali"),
                               std::string_view("flannel"), std::string_view("vnet"), std::string_view("tap"),
                               std::string_view("tun")};

constexpr auto absent = "none";

bool ends_in(std::string_view path, std::span<const std::string_view> names) {
  const auto last = path.substr(path.rfind('/') + 1);
  return std::find(names.begin(), names.end(), last) != names.end();
}

bool is_of_guests(std::string_view path) {
  constexpr std::string_view interfaces = "interfaces/";
  return path.starts_with(interfaces) && std::any_of(of_guests.begin(), of_guests.end(), [&](std::string_view name) {
           return path.substr(interfaces.size()).starts_with(name);
         });
}

std::string shown(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

std::vector<Difference> differences(const std::map<std::size_t, nlohmann::json>& facts) {
  std::map<std::string, std::map<std::size_t, std::string>> by_fact;
  for (const auto& [host, each] : facts) {
    const auto flat = each.flatten();
    for (const auto& [path, value] : flat.items()) {
      if (!value.is_null() && !ends_in(path, of_one_host)) by_fact[path.substr(1)][host] = shown(value);
    }
  }
  std::vector<Difference> found;
  for (auto& [fact, values] : by_fact) {
    for (const auto& [host, ignored] : facts) values.try_emplace(host, absent);
    std::map<std::string, std::size_t> hosts_with;
    for (const auto& [host, value] : values) ++hosts_with[value];
    const auto usual = std::max_element(hosts_with.begin(), hosts_with.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (2 * usual->second <= facts.size()) continue;
    // A device that only this host has, such as a container's, cannot affect a rate that is compared.
    const bool is_spare = fact.ends_with("/operstate") && usual->first != "up";
    const bool matters = ends_in(fact, that_matter) && usual->first != absent && !is_spare && !is_of_guests(fact);
    for (const auto& [host, value] : values) {
      if (value != usual->first) found.push_back({host, fact, value, usual->first, matters});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.matters > b.matters; });
  return found;
}

}  // namespace ringmark::accept

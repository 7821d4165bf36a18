#include "sweeps/run/machines.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/input/host_list.hpp"
#include "base/system/host.hpp"

namespace ringmark::sweep {
namespace {

std::string in_words(const Machines& machines) {
  auto text = fold_host_list(machines.hosts);
  if (!machines.lab) return text;
  text += fmt::format(", in a lab with {}", fold_host_list(machines.lab->hosts));
  std::set<double> rates;
  for (const auto& link : machines.lab->links) rates.insert(link.bits_per_s / 1e6);
  return rates.empty() ? text : text + fmt::format(" and links of {:g} Mbit/s", fmt::join(rates, ", "));
}

bool are_alike(const Machines& a, const Machines& b) {
  const auto sorted = [](auto hosts) { return std::sort(hosts.begin(), hosts.end()), hosts; };
  return a.lab == b.lab && sorted(a.hosts) == sorted(b.hosts);
}

}  // namespace

void to_json(nlohmann::json& json, const Machines& machines) {
  json = {{"hosts", machines.hosts}};
  if (machines.lab) json["lab"] = *machines.lab;
}

void from_json(const nlohmann::json& json, Machines& machines) {
  json.at("hosts").get_to(machines.hosts);
  if (json.contains("lab")) machines.lab = json.at("lab").get<Lab>();
}

Machines machines_of(const Sweep& sweep) {
  return {sweep.hosts.empty() ? std::vector{host_name()} : sweep.hosts, surrounding_lab()};
}

void refuse_other_machines(const std::string& folder, const Machines& begun, const Machines& here) {
  if (begun.hosts.empty() || are_alike(begun, here)) return;
  throw BadUsage(
      fmt::format("{} was begun on {}; this is {}. Times from different machines cannot be compared: resume it there, "
                  "or give --other-hosts if the move is intended",
                  folder, in_words(begun), in_words(here)));
}

}  // namespace ringmark::sweep

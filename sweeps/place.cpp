#include "sweeps/place.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/host_list.hpp"
#include "base/system/host.hpp"

namespace ringmark::sweep {
namespace {

std::string in_words(const Place& place) {
  auto text = fold_host_list(place.hosts);
  if (!place.lab) return text;
  text += fmt::format(", in a lab with {}", fold_host_list(place.lab->hosts));
  std::set<double> rates;
  for (const auto& link : place.lab->links) rates.insert(link.bits_per_s / 1e6);
  return rates.empty() ? text : text + fmt::format(" and links of {:g} Mbit/s", fmt::join(rates, ", "));
}

bool are_alike(const Place& a, const Place& b) {
  const auto sorted = [](auto hosts) { return std::sort(hosts.begin(), hosts.end()), hosts; };
  return a.lab == b.lab && sorted(a.hosts) == sorted(b.hosts);
}

}  // namespace

void to_json(nlohmann::json& json, const Place& place) {
  json = {{"hosts", place.hosts}};
  if (place.lab) json["lab"] = *place.lab;
}

void from_json(const nlohmann::json& json, Place& place) {
  json.at("hosts").get_to(place.hosts);
  if (json.contains("lab")) place.lab = json.at("lab").get<Lab>();
}

Place place_of(const Sweep& sweep) {
  return {sweep.hosts.empty() ? std::vector{host_name()} : sweep.hosts, surrounding_lab()};
}

void refuse_other_place(const std::string& folder, const Place& begun, const Place& here) {
  if (begun.hosts.empty() || are_alike(begun, here)) return;
  throw BadUsage(fmt::format(
      "{} was begun on {}; this is {}. Times of different machines do not compare: resume it there, or give "
      "--other-hosts if that is meant",
      folder, in_words(begun), in_words(here)));
}

}  // namespace ringmark::sweep

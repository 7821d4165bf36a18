#include "accept/judge/link_downs.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "accept/measurements.hpp"
#include "base/flags/flags.hpp"
#include "base/text/with_count.hpp"

namespace ringmark::accept {
namespace {

/// Interfaces of containers come and go, so count only those that the run may use.
bool may_carry_run(const Criteria& criteria, const std::string& interface, const nlohmann::json& facts) {
  if (criteria.is_box) return true;
  const auto words = value_of(criteria.arguments, "tcp.interface");
  const bool is_subnet = words.find('/') != std::string::npos;
  if (words.empty() || is_subnet) return facts.contains("driver");
  const auto names = split_at_commas(words);
  return std::find(names.begin(), names.end(), interface) != names.end();
}

}  // namespace

std::string in_words(const LinkDown& down) {
  return fmt::format("the link of {} {} went down {}", down.host, down.device, with_count(down.times, "time"));
}

std::vector<LinkDown> LinkDowns::seen(const Visit& visit) {
  std::vector<LinkDown> downs;
  for (const auto& [place, facts] : visit.facts) {
    const auto& host = criteria_.fabric.hosts[place];
    for (const auto& [devices, counter] : {std::pair{"interfaces", "carrier_down_count"}, {"rdma", "link_downed"}}) {
      if (!facts.contains(devices)) continue;
      for (const auto& [device, values] : facts[devices].items()) {
        if (devices == std::string_view("interfaces") && !may_carry_run(criteria_, device, values)) continue;
        if (!values.contains(counter) || !values[counter].is_string()) continue;
        const auto count = std::atol(values[counter].get<std::string>().c_str());
        const auto [known, is_new] = counts_.try_emplace({host, device}, count);
        if (!is_new && count > known->second)
          downs.push_back({host, device, static_cast<std::size_t>(count - known->second)});
        known->second = count;
      }
    }
  }
  return downs;
}

}  // namespace ringmark::accept

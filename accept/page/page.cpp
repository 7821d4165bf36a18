#include "accept/page/page.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accept/report.hpp"
#include "results/page/page.hpp"

namespace ringmark::accept {
namespace {

using Json = nlohmann::ordered_json;

Json map_json(const PairMap& map) {
  const auto& fabric = map.fabric;
  auto ends = Json::array(), leaves = Json::array(), rates = Json::array();
  for (std::size_t end = 0; end < fabric.hosts.size() * fabric.rails; ++end)
    ends.push_back({{"name", fabric.name_of(end)},
                    {"host", fabric.host_of(end)},
                    {"leaf", fabric.leaf_of_end(end).value_or(0)},
                    {"rail", fabric.rail_of(end)}});
  for (const auto& leaf : fabric.leaves) leaves.push_back(leaf.name);
  for (const auto& [from, to, GBps] : map.rates) rates.push_back({from, to, std::round(GBps * 1e6) / 1e6});
  return {{"ends", std::move(ends)}, {"leaves", std::move(leaves)}, {"rates", std::move(rates)}};
}

Json soak_json(const SoakLog& log, const std::string& summary) {
  auto rounds = Json::array(), events = Json::array();
  const auto figure = [](const std::optional<double>& value, double unit) {
    return value ? Json(*value / unit) : Json(nullptr);
  };
  constexpr double us_per_ms = 1000;
  for (const auto& each : log.rounds)
    rounds.push_back({each.time_utc, figure(each.busbw_GBps, 1), figure(each.longest_us, us_per_ms)});
  for (const auto& each : log.events) events.push_back(in_words(each));
  return {{"summary", summary}, {"events", std::move(events)}, {"rounds", std::move(rounds)}};
}

std::string headline(const LadderResult& result) {
  return result.outcome == Outcome::pass ? ": every rung is as it should be" : blame_in_words(result);
}

}  // namespace

std::string as_page(const Criteria& criteria, const LadderResult& result) {
  auto data = verdict_json(criteria, result);
  data["headline"] = headline(result);
  for (std::size_t i = 0; i < result.rungs.size(); ++i) {
    if (result.rungs[i].pairs) data["rungs"][i]["pairs"] = map_json(*result.rungs[i].pairs);
  }
  if (result.soak) data["soak"] = soak_json(*result.soak, result.rungs.back().summary);
  std::string text;
  write_page(
      {"Ringmark verdict", "The rungs and heat maps of this page", verdict_js, verdict_css},
      [&](const TextSink& sink) { sink(within_script(data.dump(-1, ' ', false, Json::error_handler_t::replace))); },
      [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace ringmark::accept

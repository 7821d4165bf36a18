#include "accept/page/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accept/page/pair_map.hpp"
#include "accept/report.hpp"
#include "results/page/page.hpp"

namespace ringmark::accept {
namespace {

using Json = nlohmann::ordered_json;

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

std::string headline(const AcceptanceResult& result) {
  if (result.outcome == Outcome::pass) return "every stage passed";
  return result.outcome == Outcome::fail ? blame_in_words(result) : why_undecided(result);
}

}  // namespace

std::string as_page(const Criteria& criteria, const AcceptanceResult& result, const VerdictRun& run) {
  auto data = verdict_json(criteria, result, run);
  data["head"] = head_of(criteria, run).facts();
  data["headline"] = headline(result);
  for (std::size_t i = 0; i < result.stages.size(); ++i) {
    const auto& stage = result.stages[i];
    if (stage.pairs) data["rungs"][i]["pairs"] = pair_map_json(*stage.pairs, stage.findings);
  }
  if (result.soak) data["soak"] = soak_json(*result.soak, result.stages.back().summary);
  std::string text;
  write_page(
      {"Ringmark verdict", "The stages and heat maps of this page", verdict_js, verdict_css},
      [&](const TextSink& sink) { sink(within_script(data.dump(-1, ' ', false, Json::error_handler_t::replace))); },
      [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace ringmark::accept

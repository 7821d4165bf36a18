#include <fmt/format.h>

#include "results/page/head.hpp"
#include "results/page/page.hpp"
#include "sweeps/run/progress.hpp"
#include "sweeps/training/tuned_run.hpp"

namespace ringmark::sweep {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json known(double value) { return value > 0 ? Json(value) : Json(); }

Json to_json(const Gain& gain) {
  return {{"ratio", gain.ratio},
          {"ratio_low", gain.interval ? Json(gain.interval->low) : Json()},
          {"ratio_high", gain.interval ? Json(gain.interval->high) : Json()}};
}

Json to_json(const PartResult& part) {
  auto refused = Json::array();
  for (const auto& [change, why] : part.refused) refused.push_back({{"change", change}, {"why", why}});
  return {{"part", name(part.part)},
          {"chosen", part.chosen},
          {"gain", to_json(part.gain)},
          {"finding", part.finding},
          {"candidates", part.candidates},
          {"alike", part.alike},
          {"out_of_memory", part.out_of_memory},
          {"surely_slower", part.surely_slower},
          {"launches", part.launches},
          {"refused", std::move(refused)},
          {"needs_patch", part.needs_patch},
          {"undecided", part.undecided}};
}

Json to_json(const TunedPoint& point) {
  return {{"name", point.name},
          {"step_ms", known(point.step_ms)},
          {"step_ms_low", point.interval_ms ? Json(point.interval_ms->low) : Json()},
          {"step_ms_high", point.interval_ms ? Json(point.interval_ms->high) : Json()},
          {"exposed_ms", number(point.exposed_ms)},
          {"samples_per_s", number(point.samples_per_s)},
          {"launches", point.launches}};
}

}  // namespace

Json to_json(const TunedRun& run) {
  Json json{{"schema", "tuned-run/1"},
            {"version", run.version},
            {"is_predicted", run.is_predicted},
            {"model", run.model},
            {"framework", run.framework},
            {"ranks", run.ranks},
            {"global_batch", run.global_batch},
            {"verdict", run.verdict},
            {"gain", to_json(run.whole)},
            {"collective_at_end", run.collective_at_end ? to_json(*run.collective_at_end) : Json()},
            {"memory",
             {{"own_bytes", known(run.memory.own_bytes)},
              {"best_bytes", known(run.memory.best_bytes)},
              {"usable_bytes", known(run.memory.usable_bytes)}}},
            {"launches", run.launches},
            {"seconds", run.seconds},
            {"changes", changes_of(run)}};
  for (const auto& point : run.waterfall) json["waterfall"].push_back(to_json(point));
  for (const auto& part : run.parts) json["parts"].push_back(to_json(part));
  json["calls"] = Json::array();
  for (const auto& call : run.calls)
    json["calls"].push_back({{"collective", call.collective},
                             {"datatype", call.datatype},
                             {"size_bytes", call.bytes},
                             {"count", call.count}});
  return json;
}

std::string as_page(const TunedRun& run) {
  auto data = to_json(run);
  PageHead head{
      .question = fmt::format("Which settings train {} faster on {} ranks?", run.model, run.ranks),
      .settings = {{"Framework", run.framework},
                   {"Samples in a step", std::to_string(run.global_batch)},
                   {"Launches", run.launches > 0 ? fmt::format("{} in {}", run.launches, format_seconds(run.seconds))
                                                 : "none: all times are predicted"}},
      .software = "ringmark " + run.version};
  data["head"] = head.facts();
  for (std::size_t i = 0; i < run.parts.size(); ++i) data["parts"][i]["gain_words"] = in_words(run.parts[i].gain);
  if (run.collective_at_end) data["collective_at_end_words"] = in_words(*run.collective_at_end);
  std::string text;
  write_page(
      {"Ringmark tuned run", "The waterfall and the tables of this page", tuned_run_js},
      [&](const TextSink& sink) { sink(within_script(data.dump(-1, ' ', false, Json::error_handler_t::replace))); },
      [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace ringmark::sweep

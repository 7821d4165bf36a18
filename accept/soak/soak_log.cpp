#include "accept/soak/soak_log.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/names.hpp"

namespace ringmark::accept {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kinds = names_up_to<SoakEventKind::wrong>("stall", "loss", "flap", "wrong");

Json figure(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> figure_at(const Json& json, const char* key) {
  const auto& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

/// Only one in this many rounds is kept, once this many were measured.
std::size_t stride_before(std::size_t rounds) {
  std::size_t stride = 1;
  while (stride * SoakLog::most_rounds < rounds) stride *= 2;
  return stride;
}

}  // namespace

std::string_view name(SoakEventKind kind) { return kinds.of(kind); }

void SoakLog::add(SoakRound round) {
  seconds += round.seconds;
  measured_s += round.measured_s;
  const auto number = rounds_measured++;
  if (number % stride_before(number) != 0) return;
  rounds.push_back(std::move(round));
  if (rounds.size() <= most_rounds) return;
  std::vector<SoakRound> kept;
  for (std::size_t i = 0; i < rounds.size(); i += 2) kept.push_back(std::move(rounds[i]));
  rounds = std::move(kept);
}

void SoakLog::add(SoakEvent event) {
  ++events_seen;
  if (events.size() < most_events) events.push_back(std::move(event));
}

std::string as_json(const SoakLog& log) {
  auto rounds = Json::array(), events = Json::array();
  for (const auto& each : log.rounds)
    rounds.push_back({{"time_utc", each.time_utc},
                      {"seconds", each.seconds},
                      {"measured_s", each.measured_s},
                      {"busbw_GBps", figure(each.busbw_GBps)},
                      {"time_us", figure(each.time_us)},
                      {"longest_us", figure(each.longest_us)}});
  for (const auto& each : log.events) {
    auto parts = Json::array();
    for (const auto& [host, device] : each.parts) parts.push_back({{"host", host}, {"device", device}});
    events.push_back({{"kind", name(each.kind)},
                      {"time_utc", each.time_utc},
                      {"stood_still_s", figure(each.stood_still_s)},
                      {"parts", std::move(parts)},
                      {"words", each.words}});
  }
  const Json all{{"schema", "soak/1"},
                 {"seconds", log.seconds},
                 {"measured_s", log.measured_s},
                 {"down_s", log.down_s},
                 {"rounds_measured", log.rounds_measured},
                 {"events_seen", log.events_seen},
                 {"rounds", std::move(rounds)},
                 {"events", std::move(events)}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

SoakLog read_soak_log(const std::string& text) try {
  const auto json = Json::parse(text);
  if (json.at("schema") != "soak/1") throw std::invalid_argument("not of schema soak/1");
  SoakLog log{json.at("seconds"), json.at("measured_s"), json.at("down_s"), json.at("rounds_measured"),
              json.at("events_seen")};
  for (const auto& each : json.at("rounds"))
    log.rounds.push_back({each.at("time_utc"), each.at("seconds"), each.at("measured_s"), figure_at(each, "busbw_GBps"),
                          figure_at(each, "time_us"), figure_at(each, "longest_us")});
  for (const auto& each : json.at("events")) {
    const auto kind = kinds.find(each.at("kind").get<std::string>());
    if (!kind) throw std::invalid_argument("an event of an unknown kind");
    SoakEvent event{*kind, each.at("time_utc"), figure_at(each, "stood_still_s"), {}, each.at("words")};
    for (const auto& part : each.at("parts")) event.parts.push_back({part.at("host"), part.at("device")});
    log.events.push_back(std::move(event));
  }
  return log;
} catch (const nlohmann::json::exception& error) {
  throw std::invalid_argument(error.what());
}

std::string in_words(const SoakEvent& event) {
  auto text = fmt::format("{}  {}", event.time_utc, name(event.kind));
  for (const auto& part : event.parts)
    text += fmt::format("{}{}", &part == &event.parts.front() ? "  " : ", ", part.name());
  text += ": " + event.words;
  if (event.kind != SoakEventKind::flap && event.kind != SoakEventKind::wrong)
    text += event.stood_still_s ? fmt::format("; collectives stalled for {:.3g} s", *event.stood_still_s)
                                : "; collectives have not recovered";
  return text;
}

}  // namespace ringmark::accept

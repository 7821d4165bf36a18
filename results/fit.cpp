#include "results/fit.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/text/error_text.hpp"
#include "results/schema/earlier_rows.hpp"

namespace ringmark {
namespace {

using nlohmann::json;

json to(const std::optional<Interval>& interval) {
  return interval ? json::array({interval->low, interval->high}) : json(nullptr);
}
json to(const std::optional<HeldOut>& held_out) {
  if (!held_out) return nullptr;
  return {{"median_percent", held_out->median_percent},
          {"worst_percent", held_out->worst_percent},
          {"predictions", held_out->predictions}};
}

template <class Integer>
Integer whole_from(const json& value, const char* name) {
  if (!value.is_number_unsigned() || !std::in_range<Integer>(value.get<std::uint64_t>()))
    throw std::invalid_argument(fmt::format("{}: {} is not a whole number or is too large", name, value.dump()));
  return value.get<Integer>();
}

void read(const json& value, const char* name, int& to) { to = whole_from<int>(value, name); }
void read(const json& value, const char* name, std::uint64_t& to) { to = whole_from<std::uint64_t>(value, name); }
void read(const json& value, const char* name, std::vector<int>& to) {
  for (const auto& each : value) to.push_back(whole_from<int>(each, name));
}
template <class Value>
void read(const json& value, const char* /*name*/, Value& to) {
  value.get_to(to);
}

std::optional<Interval> interval_from(const json& value) {
  if (value.is_null()) return std::nullopt;
  return Interval{value.at(0).get<double>(), value.at(1).get<double>()};
}
std::optional<HeldOut> held_out_from(const json& value) {
  if (value.is_null()) return std::nullopt;
  return HeldOut{value.at("median_percent").get<double>(), value.at("worst_percent").get<double>(),
                 whole_from<int>(value.at("predictions"), "predictions")};
}

/// One list of members for reading and writing.
template <class Model, class Visitor>
void visit(Model& m, Visitor&& visit) {
  visit("transport", m.transport);
  visit("network", m.network);
  visit("memory", m.memory);
  visit("collective", m.collective);
  visit("datatype", m.datatype);
  visit("op", m.op);
  visit("timing", m.timing);
  visit("settings", m.settings);
  visit("in_place", m.in_place);
  visit("algorithm", m.algorithm);
  visit("algorithm_is_assumed", m.is_assumed);
  visit("ranks_per_node", m.ranks_per_node);
  visit("from_bytes", m.from_bytes);
  visit("to_bytes", m.to_bytes);
  visit("ranks", m.ranks);
  visit("launches", m.launches);
  visit("run_ids", m.run_ids);
  visit("first_utc", m.first_utc);
  visit("last_utc", m.last_utc);
}

json segment_to(const FitSegment& s) {
  return {{"from_message_bytes", s.from_message_bytes},
          {"to_message_bytes", s.to_message_bytes},
          {"alpha_us", s.alpha_us},
          {"alpha_us_ci", to(s.alpha_us_ci)},
          {"beta_us_per_byte", s.beta_us_per_byte},
          {"beta_us_per_byte_ci", to(s.beta_us_per_byte_ci)},
          {"residual_percent", s.residual_percent},
          {"points", s.points}};
}

FitSegment segment_from(const json& j) {
  FitSegment s;
  s.from_message_bytes = j.value("from_message_bytes", 0.0);
  s.to_message_bytes = j.value("to_message_bytes", std::numeric_limits<double>::max());
  s.alpha_us = j.at("alpha_us").get<double>();
  s.alpha_us_ci = interval_from(j.value("alpha_us_ci", json()));
  s.beta_us_per_byte = j.at("beta_us_per_byte").get<double>();
  s.beta_us_per_byte_ci = interval_from(j.value("beta_us_per_byte_ci", json()));
  s.residual_percent = j.value("residual_percent", 0.0);
  if (j.contains("points")) read(j["points"], "points", s.points);
  if (s.alpha_us < 0 || s.beta_us_per_byte < 0)
    throw std::invalid_argument("a segment has a negative alpha_us or beta_us_per_byte");
  return s;
}

json caveats_to(const std::vector<Caveat>& caveats) {
  auto codes = json::array();
  for (const auto& caveat : caveats) codes.push_back(code_of(caveat));
  return codes;
}

std::vector<Caveat> caveats_from(const json& in) {
  std::vector<Caveat> caveats;
  for (auto& code : in.value("caveats", std::vector<std::string>())) {
    const auto known = parse_caveat(code);
    const auto found = known ? std::vector{*known} : take_earlier_caveats(code);
    if (found.empty()) throw std::invalid_argument(fmt::format("unknown caveat {}", code));
    caveats.push_back(found.front());
  }
  return caveats;
}

/// One list of members for both directions, as above.
template <class Links, class Visitor>
void visit_links(Links& links, Visitor&& visit) {
  visit("network", links.network);
  visit("settings", links.settings);
  visit("ranks_per_node", links.ranks_per_node);
  visit("nodes", links.nodes);
  visit("launch_us", links.launch_us);
  visit("from_bytes", links.from_bytes);
  visit("to_bytes", links.to_bytes);
  visit("residual_percent", links.residual_percent);
  visit("points", links.points);
  visit("run_ids", links.run_ids);
  visit("hosts", links.hosts);
}

json link_to(const std::optional<FitLink>& link) {
  if (!link) return nullptr;
  return {{"alpha_us", link->alpha_us ? json(*link->alpha_us) : json()}, {"GBps", link->GBps}};
}

std::optional<FitLink> link_from(const json& value) {
  if (value.is_null()) return std::nullopt;
  FitLink link;
  if (const auto alpha = value.value("alpha_us", json()); !alpha.is_null()) link.alpha_us = alpha.get<double>();
  link.GBps = value.at("GBps").get<double>();
  if (link.alpha_us.value_or(0) < 0 || !(link.GBps > 0))
    throw std::invalid_argument("a link's GBps must be positive, and its alpha_us must not be negative");
  return link;
}

FitLinks links_from(const json& in) {
  FitLinks links;
  visit_links(links, [&](const char* name, auto& value) {
    if (in.contains(name)) read(in.at(name), name, value);
  });
  links.between = link_from(in.value("between", json()));
  links.within = link_from(in.value("within", json()));
  links.caveats = caveats_from(in);
  if (links.ranks_per_node < 1 || links.launch_us < 0)
    throw std::invalid_argument("links need ranks_per_node of at least 1 and launch_us of at least 0");
  return links;
}

}  // namespace

const FitBurst* burst_of(const Fit& fit, const std::string& transport, const std::string& network) {
  const FitBurst* found = nullptr;
  for (const auto& burst : fit.bursts) {
    if (burst.network != network) continue;
    if (found == nullptr || burst.transport == transport) found = &burst;
  }
  return found;
}

std::string to_json(const Fit& fit) {
  auto models = json::array();
  for (const auto& model : fit.models) {
    json out;
    visit(model, [&](const char* name, const auto& value) { out[name] = value; });
    out["hosts"] = model.hosts;
    out["caveats"] = caveats_to(model.caveats);
    out["segments"] = json::array();
    for (const auto& segment : model.segments) out["segments"].push_back(segment_to(segment));
    out["held_out"] = {{"by_size", to(model.by_size)}, {"by_ranks", to(model.by_ranks)}};
    models.push_back(std::move(out));
  }
  auto bursts = json::array();
  for (const auto& burst : fit.bursts)
    bursts.push_back(
        {{"transport", burst.transport}, {"network", burst.network}, {"bytes", burst.bytes}, {"GBps", burst.GBps}});
  auto links = json::array();
  for (const auto& each : fit.links) {
    json out{
        {"between", link_to(each.between)}, {"within", link_to(each.within)}, {"caveats", caveats_to(each.caveats)}};
    visit_links(each, [&](const char* name, const auto& value) { out[name] = value; });
    links.push_back(std::move(out));
  }
  return json{{"schema", "fit/1"},
              {"models", std::move(models)},
              {"bursts", std::move(bursts)},
              {"nccl_links", std::move(links)}}
             .dump(1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

Fit fit_from_json(const std::string& text) {
  try {
    const auto all = json::parse(text);
    if (!all.is_object() || all.value("schema", "") != "fit/1") throw std::invalid_argument("its schema is not fit/1");
    Fit fit;
    if (!all.contains("models")) throw std::invalid_argument("it has no models");
    for (const auto& in : all["models"]) {
      auto& model = fit.models.emplace_back();
      // A hand-written file may omit the origin of the fitted values.
      for (const char* needed : {"transport", "collective", "algorithm", "segments"}) {
        if (!in.contains(needed)) throw std::invalid_argument(fmt::format("a model without {}", needed));
      }
      visit(model, [&](const char* name, auto& value) {
        if (in.contains(name)) read(in.at(name), name, value);
      });
      if (!in.contains("to_bytes")) model.to_bytes = std::numeric_limits<std::uint64_t>::max();
      model.hosts = in.value("hosts", model.hosts);
      model.caveats = caveats_from(in);
      for (const auto& segment : in.at("segments")) model.segments.push_back(segment_from(segment));
      if (model.segments.empty()) throw std::invalid_argument("a model without segments");
      const auto held_out = in.value("held_out", json::object());
      model.by_size = held_out_from(held_out.value("by_size", json()));
      model.by_ranks = held_out_from(held_out.value("by_ranks", json()));
    }
    for (const auto& in : all.value("bursts", json::array())) {
      const FitBurst burst{in.at("transport"), in.at("network"), in.at("bytes"), in.at("GBps")};
      if (!(burst.bytes >= 0) || !(burst.GBps > 0))
        throw std::invalid_argument("a burst needs bytes of at least 0 and GBps above 0");
      fit.bursts.push_back(burst);
    }
    for (const auto& in : all.value("nccl_links", json::array())) fit.links.push_back(links_from(in));
    return fit;
  } catch (const json::exception& error) {
    throw std::invalid_argument(fmt::format("not a valid fit/1 file: {}", text_of(error)));
  }
}

Fit read_fit(const std::string& file) {
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20U;
  const auto flag = "--fit " + file;
  const auto text = whole_file(file, flag, most_bytes);
  refuse_deep_nesting(flag, text);
  try {
    return fit_from_json(text);
  } catch (const std::invalid_argument& error) {
    throw BadUsage(fmt::format("{}: {}", flag, error.what()));
  }
}

}  // namespace ringmark

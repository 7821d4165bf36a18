// Steps that frameworks issued, beside those that the generator makes of the same settings.
#pragma once

#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::testing_support {

/// The models of a recording, by name.
inline std::map<std::string, replay::Model> models_of(const nlohmann::json& recorded) {
  std::map<std::string, replay::Model> models;
  for (const auto& model : recorded.at("models"))
    models[model.at("name")] = replay::model_from_description(model.at("name"), model.dump());
  return models;
}

/// A step's settings, for messages.
inline std::string settings_text(nlohmann::json step) {
  step.erase("events");
  return step.dump();
}

/// A line for each recorded collective.
inline std::string recorded_lines(const nlohmann::json& step) {
  std::string lines;
  for (const auto& event : step.at("events")) lines += event.dump() + "\n";
  return lines;
}

inline std::string group_text(const replay::StepTrace& trace, const replay::Event& event) {
  using Kind = replay::Group::Kind;
  const auto& group = trace.groups[static_cast<std::size_t>(event.group)];
  if (group.kind == Kind::world || group.size(trace.ranks) == trace.ranks) return "world";
  return fmt::format("{} {}", group.kind == Kind::block ? "block" : "stride", group.width);
}

/// A line for each generated collective: micro-step, phase, operation, elements, type and group, then what `add` adds.
template <class Add>
std::string generated_lines(const replay::StepTrace& trace, Add add) {
  std::string lines;
  for (const auto& event : trace.events) {
    if (event.kind != replay::EventKind::collective) continue;
    nlohmann::json line{event.micro_step, name(event.phase), name(event.collective),
                        event.elements,   name(event.type),  group_text(trace, event)};
    add(event, line);
    lines += line.dump() + "\n";
  }
  return lines;
}

}  // namespace ringmark::testing_support

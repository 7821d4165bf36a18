#include "replay/trace/trace_header.hpp"

#include <string_view>

#include "base/flags/option.hpp"
#include "replay/trace/trace_parameters.hpp"

namespace ringmark::replay {
namespace {

class HeaderReader {
 public:
  explicit HeaderReader(const JsonLines& lines) : lines_(lines) {}

  TraceHeader read(const Json& json) {
    if (lines_.text_or(json, "schema", "") != "steptrace/1")
      lines_.refuse("schema: expected \"steptrace/1\", found {}; convert other traces with ringmark-replay import",
                    json.contains("schema") ? json["schema"].dump() : "none");
    trace_.id = lines_.text_or(json, "id", "");
    trace_.model = lines_.text_or(json, "model", "");
    trace_.source = lines_.text_or(json, "source", "");
    trace_.model_elements = lines_.number_or(json, "P", std::uint64_t{0}, most_elements, std::uint64_t{0});
    const auto parameters = json.value("params", Json::object());
    if (!parameters.is_object()) lines_.refuse("params: expected an object, found {}", parameters.dump());
    trace_.ranks = lines_.number(parameters.contains("N") ? parameters : json, parameters.contains("N") ? "N" : "ranks",
                                 1, most_ranks);
    trace_.micro_steps = lines_.number_or(parameters, "A", 1, most_micro_steps, 1);
    trace_.micro_batch = lines_.number_or(parameters, "b_gpu", std::uint64_t{0}, most_elements, std::uint64_t{0});
    trace_.sequence = lines_.number_or(parameters, "s", std::uint64_t{0}, most_elements, std::uint64_t{0});
    for (const auto& [key, value] : parameters.items()) {
      if (key == "N" || key == "A" || key == "b_gpu" || key == "s") continue;
      set_parameter(key, value.is_string() ? value.get<std::string>() : value.dump(), trace_);
    }
    std::optional<std::size_t> events;
    if (json.contains("events")) events = lines_.number(json, "events", std::size_t{0}, most_events);
    read_memory(json);
    read_streams(json);
    read_groups(json);
    read_channels(json);
    return {std::move(trace_), events};
  }

 private:
  void read_memory(const Json& json) {
    const auto parts = json.value("memory", Json::array());
    if (!parts.is_array() || parts.size() > 64) lines_.refuse("memory: expected a list of at most 64 parts");
    for (const auto& part : parts) {
      const bool is_part = part.is_object() && part.size() == 3 && part.contains("what") && part.contains("bytes") &&
                           part.contains("grows") && part["grows"].is_boolean();
      if (!is_part)
        lines_.refuse("memory: expected {{\"what\": \"weights\", \"bytes\": 1e9, \"grows\": false}}, found {}",
                      part.dump());
      trace_.memory.push_back({lines_.text(part, "what"), lines_.amount(part, "bytes"), part["grows"].get<bool>()});
    }
  }

  void read_streams(const Json& json) {
    if (!json.contains("streams")) return;
    trace_.streams.clear();
    if (!json["streams"].is_array() || json["streams"].empty() || json["streams"].size() > 64)
      lines_.refuse("streams: expected a list of 1 to 64 names");
    for (const auto& each : json["streams"]) {
      if (!each.is_string()) lines_.refuse("streams: expected names, found {}", each.dump());
      trace_.streams.push_back(each.get<std::string>());
    }
  }

  void read_groups(const Json& json) {
    if (!json.contains("groups")) return;
    trace_.groups.clear();
    if (!json["groups"].is_object() || json["groups"].empty() || json["groups"].size() > 64)
      lines_.refuse("groups: expected an object of 1 to 64 names, such as {{\"dp\":\"world\"}}");
    for (const auto& [key, value] : json["groups"].items()) {
      const auto words = value.is_string() ? value.get<std::string>() : value.dump();
      Group group{key, Group::Kind::world, 1};
      int width = 0;
      const auto is_a = [&](std::string_view kind) {
        return words.starts_with(kind) && words.ends_with(')') &&
               read_number(words.substr(kind.size(), words.size() - kind.size() - 1), 1, most_ranks, width);
      };
      if (is_a("block(")) {
        group.kind = Group::Kind::block;
      } else if (is_a("stride(")) {
        group.kind = Group::Kind::stride;
      } else if (words != "world") {
        lines_.refuse("groups: {}: expected world, block(n) or stride(n), found {}", key, words);
      }
      if (group.kind != Group::Kind::world) {
        if (trace_.ranks % width != 0)
          lines_.refuse("groups: {}: {} does not divide the {} ranks", key, words, trace_.ranks);
        group.width = width;
      }
      trace_.groups.push_back(group);
    }
  }

  void read_channels(const Json& json) {
    trace_.channels.clear();
    if (!json.contains("channels")) {
      for (std::size_t g = 0; g < trace_.groups.size(); ++g)
        trace_.channels.push_back({trace_.groups[g].name, static_cast<int>(g)});
      return;
    }
    if (!json["channels"].is_object() || json["channels"].empty() || json["channels"].size() > 64)
      lines_.refuse("channels: expected an object of 1 to 64 names and their groups");
    for (const auto& [key, value] : json["channels"].items()) {
      if (!value.is_string()) lines_.refuse("channels: {}: expected the name of a group, found {}", key, value.dump());
      trace_.channels.push_back({key, index_of(trace_.groups, value.get<std::string>(), "channels", lines_)});
    }
  }

  const JsonLines& lines_;
  StepTrace trace_;
};

}  // namespace

TraceHeader read_trace_header(const Json& header, const JsonLines& lines) { return HeaderReader(lines).read(header); }

}  // namespace ringmark::replay

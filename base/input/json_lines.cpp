#include "base/input/json_lines.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"

namespace ringmark {
bool JsonLines::next_line() {
  ++number_;
  line_.clear();
  for (int c = in_.get(); c != std::istream::traits_type::eof(); c = in_.get()) {
    if (c == '\n') return true;
    if (line_.size() == most_line_bytes_) refuse("the line is longer than {} MiB", most_line_bytes_ >> 20U);
    line_.push_back(static_cast<char>(c));
  }
  return !line_.empty();
}

void JsonLines::refuse_deep_nesting() const {
  constexpr int deepest = 50;
  ringmark::refuse_deep_nesting(fmt::format("{}:{}", file_, number_), line_, deepest);
}

Json JsonLines::parse() const {
  refuse_deep_nesting();
  auto json = Json::parse(line_, nullptr, false);
  if (json.is_discarded())
    refuse("expected a JSON object on each line, found {}{}", line_.substr(0, 60), line_.size() > 60 ? "…" : "");
  if (!json.is_object()) refuse("expected a JSON object, found {}", json.type_name());
  return json;
}

bool JsonLines::truth_or(const Json& json, const char* field, bool otherwise) const {
  const auto found = json.find(field);
  if (found == json.end()) return otherwise;
  if (!found->is_boolean()) refuse("{}: expected true or false, found {}", field, found->dump());
  return found->get<bool>();
}

double JsonLines::amount(const Json& json, const char* field) const {
  if (!json.contains(field)) refuse("{}: missing", field);
  const auto& value = json[field];
  if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > 1e30)
    refuse("{}: expected a non-negative number, found {}", field, value.dump());
  return value.get<double>();
}

std::string JsonLines::text(const Json& json, const char* field) const {
  const auto found = json.find(field);
  if (found == json.end()) refuse("{}: missing", field);
  if (!found->is_string()) refuse("{}: expected a string, found {}", field, found->dump());
  return found->get<std::string>();
}

std::string JsonLines::text_or(const Json& json, const char* field, const std::string& otherwise) const {
  return json.contains(field) ? text(json, field) : otherwise;
}

void JsonLines::refuse_line(const std::string& text) const {
  throw BadUsage(fmt::format("{}:{}: {}", file_, number_, text));
}

}  // namespace ringmark

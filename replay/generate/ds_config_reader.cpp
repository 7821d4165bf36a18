#include "replay/generate/ds_config_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include "base/input/input.hpp"

namespace ringmark::replay {
namespace {

/// Blanks out comments that begin with #, and commas before a closing bracket; text in quotes stays.
std::string without_extras(std::string text) {
  std::size_t comma = std::string::npos;  // followed only by blanks
  bool is_quoted = false, is_behind_value = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      is_quoted = c != '"';
      continue;
    }
    const bool is_line_comment = c == '#' || text.compare(i, 2, "//") == 0;
    if (is_line_comment || text.compare(i, 2, "/*") == 0) {
      const auto end = is_line_comment ? text.find('\n', i) : text.find("*/", i + 2);
      const auto stop = end == std::string::npos ? text.size() : end + (is_line_comment ? 0 : 2);
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(stop), ' ');
      i = stop - 1;
    } else if (c == ',') {
      comma = is_behind_value ? i : std::string::npos;
      is_behind_value = false;
    } else if (c == '}' || c == ']') {
      if (comma != std::string::npos) text[comma] = ' ';
      comma = std::string::npos;
      is_behind_value = true;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      comma = std::string::npos;
      is_quoted = c == '"';
      is_behind_value = c != '{' && c != '[';
    }
  }
  return text;
}

}  // namespace

nlohmann::json DsConfigReader::whole(const std::string& text) const {
  const auto json = without_extras(text);
  if (!parse_json(file_, json).is_object()) refuse("expected a JSON object, as DeepSpeed reads it");
  std::vector<std::set<std::string>> keys;  // of the enclosing objects
  const auto note = [&](int, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      refuse("{}: appears twice, which DeepSpeed refuses", value.get<std::string>());
    return true;
  };
  return Json::parse(json, note);
}

nlohmann::json DsConfigReader::object(const Json& from, const char* key) const {
  const auto found = from.find(key);
  if (found == from.end() || found->is_null()) return Json::object();
  if (!found->is_object()) refuse("{}: expected an object, found {}", key, found->dump());
  return *found;
}

void DsConfigReader::truth(const Json& from, const char* key, bool& to) const {
  const auto found = from.find(key);
  if (found == from.end() || found->is_null() || *found == "auto") return;  // DeepSpeed drops "auto"
  // DeepSpeed's settings are pydantic's, which take these words and numbers for true and false.
  constexpr std::array<std::string_view, 6> yes{"true", "t", "yes", "y", "on", "1"},
      no{"false", "f", "no", "n", "off", "0"};
  auto word = found->is_string() ? found->get<std::string>() : found->dump();
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_yes = std::find(yes.begin(), yes.end(), word) != yes.end();
  if (!is_yes && std::find(no.begin(), no.end(), word) == no.end())
    refuse("{}: expected true or false, found {}", key, found->dump());
  to = is_yes;
}

std::optional<std::uint32_t> DsConfigReader::in_quotes(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto text = value.get<std::string>();
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number <= std::numeric_limits<std::int32_t>::max() ? std::optional(number) : std::nullopt;
}

bool DsConfigReader::is_enabled(const Json& from, const char* key, DataType type) {
  bool enabled = false;
  const auto section = object(from, key);
  if (section.value("enabled", Json()) == "auto") {
    const auto wanted = settled("--dtype", given_.type);
    if (!wanted) refuse("{}: enabled: auto: the application decides it; give --dtype bf16, fp16 or fp32", key);
    return *wanted == type;
  }
  truth(section, "enabled", enabled);
  return enabled;
}

}  // namespace ringmark::replay

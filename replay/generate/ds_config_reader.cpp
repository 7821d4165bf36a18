#include "replay/generate/ds_config_reader.hpp"

#include <algorithm>

#include "base/input.hpp"

namespace ringmark::replay {
namespace {

/// Blanks out comments that begin with #, and commas before a closing bracket; text in quotes stays.
std::string without_extras(std::string text) {
  std::size_t comma = std::string::npos;  // with nothing but blanks behind it
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
  auto root = parse_json(file_, without_extras(text));
  if (!root.is_object()) refuse("expected a JSON object, as DeepSpeed reads it");
  return root;
}

nlohmann::json DsConfigReader::object(const Json& from, const char* key) const {
  const auto found = from.find(key);
  if (found == from.end() || found->is_null()) return Json::object();
  if (!found->is_object()) refuse("{}: expected an object, found {}", key, found->dump());
  return *found;
}

void DsConfigReader::truth(const Json& from, const char* key, bool& to) const {
  const auto found = from.find(key);
  if (found == from.end() || found->is_null()) return;
  if (!found->is_boolean()) refuse("{}: expected true or false, found {}", key, found->dump());
  to = found->get<bool>();
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

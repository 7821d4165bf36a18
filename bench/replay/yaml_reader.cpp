#include "bench/replay/yaml_reader.hpp"

#include <fmt/ranges.h>

#include "bench/replay/input.hpp"
#include "transports/errors.hpp"

namespace ringmark::replay {

void YamlReader::require_keys(const YAML::Node& node, const std::string& what,
                              const std::set<std::string>& known) const {
  if (!node.IsMap()) refuse(node, "{}: expected a map with {}", what, fmt::join(known, ", "));
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>("");
    if (!known.contains(key))
      refuse(entry.first, "{}: '{}' is unknown; give some of {}", what, key, fmt::join(known, ", "));
  }
}

std::string YamlReader::text(const YAML::Node& node, const std::string& what) const {
  if (!node.IsDefined() || !node.IsScalar()) refuse(node, "{}: expected a text", what);
  return node.Scalar();
}

std::uint64_t YamlReader::number(const YAML::Node& node, const std::string& what, std::uint64_t least,
                                 std::uint64_t most) const {
  std::uint64_t value = 0;
  const bool is_number = node.IsDefined() && node.IsScalar() && !node.Scalar().starts_with('-') &&
                         YAML::convert<std::uint64_t>::decode(node, value);
  if (!is_number || value < least || value > most) {
    const auto given = node.IsDefined() && node.IsScalar() ? node.Scalar() : "nothing";
    refuse(node, "{}: expected a whole number from {} to {}, not {}", what, least, most, given);
  }
  return value;
}

bool YamlReader::truth(const YAML::Node& node, const std::string& what) const {
  bool value = false;
  if (!node.IsScalar() || !YAML::convert<bool>::decode(node, value)) refuse(node, "{}: expected true or false", what);
  return value;
}

void YamlReader::refuse_at(const YAML::Node& node, const std::string& text) const {
  const auto where = node.IsDefined() ? fmt::format("{}:{}", file_, node.Mark().line + 1) : file_;
  throw BadUsage(fmt::format("{}: {}", where, text));
}

YAML::Node read_yaml(const std::string& file, const std::string& text) {
  refuse_deep_nesting(file, text);
  try {
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw BadUsage(fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  }
}

}  // namespace ringmark::replay

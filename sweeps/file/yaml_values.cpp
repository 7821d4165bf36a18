#include "sweeps/file/yaml_values.hpp"

#include <fmt/ranges.h>

#include "results/schema/columns.hpp"

namespace ringmark::sweep {

Value value_in(YamlReader& read, const std::string& where, const YAML::Node& node) {
  if (node.IsNull()) return std::nullopt;
  if (!node.IsScalar()) {
    read.problem(node, "{}: {} is not a single value", where, YamlReader::shown(node));
    return std::nullopt;
  }
  const bool quoted = node.Tag() == "!";
  const auto& text = node.Scalar();
  if (!quoted && text == unset) return std::nullopt;
  // Neither an argument nor an environment variable can contain a zero byte.
  if (text.find('\0') != std::string::npos) read.problem(node, "{}: a value cannot contain a zero byte", where);
  return text;
}

Value joined_in(YamlReader& read, const std::string& where, const YAML::Node& node) {
  if (!node.IsSequence()) return value_in(read, where, node);
  return fmt::format("{}", fmt::join(read.texts(where, node), ","));
}

std::string relative_to(const std::string& sweep_file, const std::string& name) {
  return name.starts_with('/') ? name : sweep_file.substr(0, sweep_file.rfind('/') + 1) + name;
}

}  // namespace ringmark::sweep

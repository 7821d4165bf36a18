#include "sweeps/yaml_reader.hpp"

#include <algorithm>
#include <set>

namespace ringmark::sweep {

std::string beside(const std::string& sweep_file, const std::string& name) {
  return name.starts_with('/') ? name : sweep_file.substr(0, sweep_file.rfind('/') + 1) + name;
}

std::vector<Entry> YamlReader::map(const std::string& where, const YAML::Node& node) {
  std::vector<Entry> entries;
  if (!node.IsMap()) {
    problem(line_of(node), "{}: {} is not a map; give 'key: value' lines", where, shown(node));
    return entries;
  }
  std::set<std::string> seen;
  for (const auto& pair : node) {
    const int line = line_of(pair.first);
    if (!pair.first.IsScalar()) {
      problem(line, "{}: a key must be one word", where);
    } else if (!seen.insert(pair.first.Scalar()).second) {
      problem(line, "{}: '{}' is given twice; remove one", where, pair.first.Scalar());
    } else {
      entries.push_back({pair.first.Scalar(), pair.second, line});
    }
  }
  return entries;
}

std::vector<Entry> YamlReader::map(const std::string& where, const YAML::Node& node,
                                   std::initializer_list<std::string_view> known) {
  // Built anew: assigning a YAML::Node changes what it refers to.
  std::vector<Entry> entries;
  for (const auto& entry : map(where, node)) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
      entries.push_back(entry);
    } else {
      problem(entry.line, "{}: '{}' is unknown; there are {}", where, entry.key,
              fmt::join(known.begin(), known.end(), ", "));
    }
  }
  return entries;
}

Value YamlReader::value(const std::string& where, const YAML::Node& node) {
  if (node.IsNull()) return std::nullopt;
  if (!node.IsScalar()) {
    problem(line_of(node), "{}: {} is not a single value", where, shown(node));
    return std::nullopt;
  }
  const bool quoted = node.Tag() == "!";
  const auto& text = node.Scalar();
  if (!quoted && text == "unset") return std::nullopt;
  // Neither an argument nor an environment variable can hold it.
  if (text.find('\0') != std::string::npos) problem(line_of(node), "{}: a value with a zero byte", where);
  return text;
}

Value YamlReader::joined(const std::string& where, const YAML::Node& node) {
  if (!node.IsSequence()) return value(where, node);
  return fmt::format("{}", fmt::join(texts(where, node), ","));
}

std::string YamlReader::text(const std::string& where, const YAML::Node& node) {
  if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
  problem(line_of(node), "{}: {} is not a text", where, shown(node));
  return {};
}

std::vector<std::string> YamlReader::texts(const std::string& where, const YAML::Node& node) {
  std::vector<std::string> words;
  if (!node.IsSequence()) {
    problem(line_of(node), "{}: {} is not a list; give [a, b, …]", where, shown(node));
    return words;
  }
  for (const auto& each : node) words.push_back(text(where, each));
  if (words.empty()) problem(line_of(node), "{}: the list is empty", where);
  return words;
}

std::chrono::milliseconds YamlReader::duration(const std::string& where, const YAML::Node& node) {
  constexpr std::pair<std::string_view, double> units[]{{"ms", 1}, {"min", 60e3}, {"s", 1e3}, {"h", 3600e3}};
  if (node.IsScalar()) {
    const std::string_view text = node.Scalar();
    for (const auto& [unit, milliseconds] : units) {
      if (!text.ends_with(unit)) continue;
      double count = 0;
      if (!read_number(text.substr(0, text.size() - unit.size()), 0.0, 1e6, count)) break;
      const std::chrono::milliseconds result(static_cast<long>(count * milliseconds));
      if (result.count() > 0) return result;
      break;
    }
  }
  problem(line_of(node), "{}: {} is not a time; give it like 500ms, 90s, 10min or 2h", where, shown(node));
  return std::chrono::milliseconds(1);
}

std::string YamlReader::shown(const YAML::Node& node) {
  if (node.IsScalar()) return "'" + node.Scalar() + "'";
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a map";
  return "nothing";
}

}  // namespace ringmark::sweep

#include "base/yaml_reader.hpp"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "base/input.hpp"
#include "base/yaml_syntax.hpp"

namespace ringmark {

void YamlReader::take_problem(Problem problem) {
  if (policy_ == Policy::throws) throw BadUsage(std::move(problem));
  problems_.push_back(std::move(problem));
}

std::vector<YamlEntry> YamlReader::map(const std::string& where, const YAML::Node& node) {
  std::vector<YamlEntry> entries;
  if (!node.IsDefined() || !node.IsMap()) {
    key_problem(where, node, "{} is not a map; give 'key: value' lines", shown(node));
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

std::vector<YamlEntry> YamlReader::map(const std::string& where, const YAML::Node& node,
                                       const std::vector<std::string>& known) {
  // Built anew: assigning a YAML::Node changes what it refers to.
  std::vector<YamlEntry> entries;
  for (const auto& entry : map(where, node)) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
      entries.push_back(entry);
    } else {
      problem(entry.line, "{}: '{}' is unknown; there are {}", where, entry.key, fmt::join(known, ", "));
    }
  }
  return entries;
}

std::string YamlReader::text(const std::string& where, const YAML::Node& node) {
  if (is_scalar(node) && !node.Scalar().empty()) return node.Scalar();
  key_problem(where, node, "{} is not a text", shown(node));
  return {};
}

std::vector<std::string> YamlReader::texts(const std::string& where, const YAML::Node& node) {
  std::vector<std::string> words;
  if (!node.IsSequence()) {
    key_problem(where, node, "{} is not a list; give [a, b, …]", shown(node));
    return words;
  }
  for (const auto& each : node) words.push_back(text(where, each));
  if (words.empty()) key_problem(where, node, "the list is empty");
  return words;
}

std::chrono::milliseconds YamlReader::duration(const std::string& where, const YAML::Node& node) {
  constexpr std::pair<std::string_view, double> units[]{{"ms", 1}, {"min", 60e3}, {"s", 1e3}, {"h", 3600e3}};
  if (is_scalar(node)) {
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
  key_problem(where, node, "{} is not a time; give it like 500ms, 90s, 10min or 2h", shown(node));
  return std::chrono::milliseconds(1);
}

bool YamlReader::truth(const std::string& where, const YAML::Node& node) {
  bool value = false;
  if (!is_scalar(node) || !YAML::convert<bool>::decode(node, value))
    key_problem(where, node, "{} is neither true nor false", shown(node));
  return value;
}

std::string YamlReader::shown(const YAML::Node& node) {
  if (is_scalar(node)) return "'" + node.Scalar() + "'";
  if (node.IsDefined() && node.IsSequence()) return "a list";
  if (node.IsDefined() && node.IsMap()) return "a map";
  return "nothing";
}

YAML::Node read_yaml(const std::string& file, const std::string& text) {
  refuse_deep_nesting(file, text);
  try {
    auto documents = YAML::LoadAll(text);
    if (documents.empty()) return YAML::Node();
    if (documents.size() > 1)
      throw BadUsage(Problem{.text = "another document begins here",
                             .remedy = "remove the line of --- before it",
                             .place = Place{file, YamlReader::line_of(documents[1])}});
    return documents.front();
  } catch (const YAML::Exception& error) {
    throw BadUsage(syntax_problem(file, text, error));
  }
}

}  // namespace ringmark

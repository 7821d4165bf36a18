#include "base/yaml_reader.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>

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

namespace {

/// Notes where documents begin.
class DocumentStarts final : public YAML::EventHandler {
 public:
  std::vector<int> lines;  ///< from 1

  void OnDocumentStart(const YAML::Mark& mark) override { lines.push_back(mark.line + 1); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

/// The line on which a second document begins. YAML::LoadAll would tell too, but never ends on some malformed texts.
std::optional<int> second_document(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStarts starts;
  for (int document = 0; document < 2 && parser.HandleNextDocument(starts); ++document) {
  }
  return starts.lines.size() > 1 ? std::optional(starts.lines[1]) : std::nullopt;
}

}  // namespace

YAML::Node read_yaml(const std::string& file, const std::string& text) {
  refuse_deep_nesting(file, text);
  try {
    auto root = YAML::Load(text);
    if (const auto second = second_document(text))
      throw BadUsage(Problem{.text = "another document begins here",
                             .remedy = "remove the line of --- before it; if there is none, indent this line like the "
                                       "lines above it",
                             .place = Place{file, *second}});
    return root;
  } catch (const YAML::Exception& error) {
    throw BadUsage(syntax_problem(file, text, error));
  }
}

}  // namespace ringmark

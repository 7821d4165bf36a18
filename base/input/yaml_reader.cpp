#include "base/input/yaml_reader.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_syntax.hpp"
#include "base/text/duration_text.hpp"

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
      key_problem(where, line, "a key must be one word");
    } else if (!seen.insert(pair.first.Scalar()).second) {
      key_problem(where, line, "'{}' is given twice; remove one", pair.first.Scalar());
    } else {
      entries.push_back({pair.first.Scalar(), pair.second, line});
    }
  }
  return entries;
}

std::vector<YamlEntry> YamlReader::map(const std::string& where, const YAML::Node& node,
                                       const std::vector<std::string>& known) {
  // A new list, since assigning to a YAML::Node changes the document.
  std::vector<YamlEntry> entries;
  for (const auto& entry : map(where, node)) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
      entries.push_back(entry);
    } else {
      key_problem(where, entry.line, "'{}' is unknown; give one of {}", entry.key, fmt::join(known, ", "));
    }
  }
  return entries;
}

std::string YamlReader::text(const std::string& where, const YAML::Node& node) {
  if (is_scalar(node) && !node.Scalar().empty()) return node.Scalar();
  key_problem(where, node, "{} is not a string", shown(node));
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
  if (is_scalar(node)) {
    if (const auto time = parse_time(node.Scalar())) return *time;
  }
  key_problem(where, node, "{} is not a time; give one such as 500ms, 90s, 10min or 2h", shown(node));
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

/// Records where documents begin.
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

/// The line where a second document begins. YAML::LoadAll would report it too, but never returns on some malformed
/// texts.
std::optional<int> second_document(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStarts starts;
  for (int document = 0; document < 2 && parser.HandleNextDocument(starts); ++document) {
  }
  return starts.lines.size() > 1 ? std::optional(starts.lines[1]) : std::nullopt;
}

/// Throws YAML::Exception, or BadUsage for a second document.
YAML::Node load(const std::string& file, const std::string& text) {
  auto root = YAML::Load(text);
  if (const auto second = second_document(text))
    throw BadUsage(Problem{.text = "another document begins here",
                           .remedy = "remove the --- line before it; without one, indent this line like the "
                                     "lines above it",
                           .place = Place{file, *second}});
  return root;
}

/// True if a quote is still open at the end of the text. The parser notices that only if the text does not end in a
/// newline.
bool ends_within_quotes(const std::string& text) {
  const auto is_odd = [&](char quote) { return std::count(text.begin(), text.end(), quote) % 2 != 0; };
  if (!is_odd('"') && !is_odd('\'')) return false;
  try {
    YAML::Load(text.substr(0, text.find_last_not_of("\r\n") + 1));
    return false;
  } catch (const YAML::Exception& error) {
    return error.msg.starts_with("illegal EOF");
  }
}

std::optional<SyntaxFault> fault_of(const std::string& file, const std::string& text) {
  try {
    load(file, text);
    return ends_within_quotes(text) ? unclosed_quote(file, text) : std::nullopt;
  } catch (const YAML::Exception& error) {
    return syntax_fault(file, text, error);
  }
}

void replace_line(std::string& text, int number, const std::string& by) {
  std::size_t begin = 0;
  for (; number > 0 && begin != std::string::npos; --number) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return;
  text.replace(begin, std::min(text.find('\n', begin), text.size()) - begin, by);
}

/// The parser takes seconds for a few MB, and people write far less.
void refuse_long_text(const std::string& file, std::string_view text) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20U, most_line_bytes = std::size_t{1} << 20U;
  if (text.size() > most_bytes) throw BadUsage(fmt::format("{}: larger than {} MiB", file, most_bytes >> 20U));
  for (int line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > most_line_bytes)
      throw BadUsage(Problem{.text = fmt::format("the line is longer than {} MiB", most_line_bytes >> 20U),
                             .place = Place{file, line}});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

RepairedYaml repair_yaml(const std::string& file, const std::string& text) {
  constexpr int most_problems = 20;
  refuse_long_text(file, text);
  refuse_deep_nesting(file, text);
  RepairedYaml repaired{text, {}, true};
  for (int i = 0; i < most_problems; ++i) {
    try {
      auto fault = fault_of(file, repaired.text);
      if (!fault) break;
      const bool is_known = std::any_of(repaired.problems.begin(), repaired.problems.end(),
                                        [&](const Problem& each) { return each.place == fault->problem.place; });
      // Further faults on the same line are mostly caused by the repair.
      if (!is_known) repaired.problems.push_back(std::move(fault->problem));
      repaired.is_sure = repaired.is_sure && fault->is_sure && !is_known;
      replace_line(repaired.text, fault->line, is_known ? "" : fault->repaired);
    } catch (const BadUsage& error) {
      repaired.problems.insert(repaired.problems.end(), error.problems().begin(), error.problems().end());
      repaired.is_sure = false;
      break;
    }
  }
  sort_by_place(repaired.problems);
  return repaired;
}

std::vector<Problem> read_mended(YamlReader& read, const std::string& text,
                                 const std::function<void(const YAML::Node&)>& interpret) {
  std::vector<Problem> problems;
  const auto add_all = [&problems](const std::vector<Problem>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  try {
    const auto repaired = repair_yaml(read.file(), text);
    add_all(repaired.problems);
    if (repaired.is_sure) interpret(read_yaml(read.file(), repaired.text));
  } catch (const BadUsage& error) {
    add_all(error.problems());
  } catch (const YAML::Exception& error) {
    problems.push_back(syntax_fault(read.file(), text, error).problem);
  }
  add_all(read.problems());
  sort_by_place(problems);
  return problems;
}

YAML::Node read_yaml(const std::string& file, const std::string& text) {
  if (auto problems = repair_yaml(file, text).problems; !problems.empty()) throw BadUsage(std::move(problems));
  return YAML::Load(text);
}

}  // namespace ringmark

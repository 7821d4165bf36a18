#include "base/input/yaml_syntax.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ringmark {
namespace {

struct Explanation {
  std::string text, remedy;
};

constexpr auto quote_it = "put the text into double quotes";

/// Keyed by the start of the parser's message.
constexpr struct {
  std::string_view message, text, remedy;
} explanations[]{
    {"illegal map value", "this colon would begin a value, which is not allowed here",
     "put a text with a colon into double quotes"},
    {"illegal map key", "a key may not begin here", "put each key on its own line, with the same indentation"},
    {"end of map flow", "a { further up is not closed", "close it with }, and separate entries by commas"},
    {"end of sequence flow", "a [ further up is not closed", "close it with ], and separate items by commas"},
    {"end of map", "this line is not part of the map above it",
     "write 'key: value', with the same indentation for all keys of a map"},
    {"end of sequence", "this line is not part of the list above it",
     "begin each item with '- ', with the same indentation for all"},
    {"illegal flow end", "a ] or } has no opening bracket", "remove it, or put the text into double quotes"},
    {"illegal block entry", "a list may not begin here", "begin it with '- ' on its own line below the key"},
    {"illegal EOF", "a quote is not closed", "close it"},
    {"illegal document", "a --- or ... line is inside quoted text", "close the quote before it"},
    {"unknown escape", "this backslash escape is not valid in double quotes",
     "use single quotes, or double the backslash"},
    {"bad character found while scanning hex", "this is not a valid character escape", "use single quotes"},
    {"the referenced anchor", "* refers to an undefined name", quote_it},
    {"alias", "* refers to an undefined name", quote_it},
    {"anchor", "& must be followed by a name", quote_it},
    {"illegal character found while scanning", "this character is not allowed here", quote_it},
    {"illegal character", "this character is not allowed here", quote_it},
    {"cannot assign multiple", "a value has more than one & or !", quote_it},
};

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.push_back(text);
  return lines;
}

/// Empty beyond the last line.
std::string_view line_at(const Lines& lines, int number) {
  const auto at = static_cast<std::size_t>(number);
  return at < lines.size() ? lines[at] : std::string_view();
}

/// The position of a tab among the characters that indent a line.
std::optional<std::size_t> tab_in_indentation(std::string_view line) {
  const auto tab = line.find('\t');
  return tab < line.find_first_not_of(" \t") && line.find_first_not_of(" \t\r") != std::string_view::npos
             ? std::optional(tab)
             : std::nullopt;
}

/// The position of a second colon in "key: text: more".
std::optional<std::size_t> colon_in_text(std::string_view line) {
  const auto key_end = line.find(": ");
  if (key_end == std::string_view::npos) return std::nullopt;
  const auto value = line.find_first_not_of(' ', key_end + 1);
  if (value == std::string_view::npos || std::string_view("\"'[{|>").find(line[value]) != std::string_view::npos)
    return std::nullopt;
  const auto colon = std::min(line.find(": ", value), line.ends_with(':') ? line.size() - 1 : std::string_view::npos);
  return colon == std::string_view::npos ? std::nullopt : std::optional(colon);
}

/// The position of a quote that opens after "key: " or "- " and is not closed on this line.
std::optional<std::size_t> open_quote(std::string_view line) {
  if (line.starts_with('#')) return std::nullopt;
  for (const std::string_view before : {": ", "- "}) {
    const auto end = line.find(before);
    const auto value = end == std::string_view::npos ? end : line.find_first_not_of(' ', end + before.size());
    if (value == std::string_view::npos || (line[value] != '"' && line[value] != '\'')) continue;
    if (line.find(line[value], value + 1) == std::string_view::npos) return value;
  }
  return std::nullopt;
}

/// True if the quote that a line opened is closed by a closing quote, not by one that opens another value.
bool is_closed_below(const Lines& lines, int line, char quote) {
  for (int below = line + 1; below < static_cast<int>(lines.size()); ++below) {
    const auto words = line_at(lines, below);
    const auto at = words.find(quote);
    if (at != std::string_view::npos)
      return !words.substr(0, at).ends_with(": ") && !words.substr(0, at).ends_with("- ");
  }
  return false;
}

/// The position of a [ or { that the line opens and does not close. Quoted brackets do not count.
std::optional<std::size_t> open_bracket(std::string_view line) {
  std::vector<std::size_t> open;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#' && i > 0 && line[i - 1] == ' ') {
      break;
    } else if (line[i] == '[' || line[i] == '{') {
      open.push_back(i);
    } else if ((line[i] == ']' || line[i] == '}') && !open.empty()) {
      open.pop_back();
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

std::string without_end(std::string_view line) {
  return std::string(line.substr(0, line.find_last_not_of(" \r\t") + 1));
}

struct Mending {
  std::string line;
  bool is_sure = false;
};

SyntaxFault fault_at(const std::string& file, int line, std::size_t column, const Explanation& what, Mending mending) {
  return {{.text = fmt::format("is not YAML, column {}: {}", column + 1, what.text),
           .remedy = what.remedy,
           .place = Place{file, line + 1}},
          line,
          std::move(mending.line),
          mending.is_sure};
}

std::optional<SyntaxFault> tab_fault(const std::string& file, const Lines& lines, int line) {
  const auto words = line_at(lines, line);
  const auto tab = tab_in_indentation(words);
  if (!tab) return std::nullopt;
  std::string spaces;
  const auto begin = words.find_first_not_of(" \t");
  for (const char c : words.substr(0, begin)) spaces += c == '\t' ? "  " : " ";
  return fault_at(file, line, *tab, {"the line is indented with a tab", "YAML is indented with spaces only"},
                  {spaces + std::string(words.substr(begin)), true});
}

std::optional<SyntaxFault> quote_fault(const std::string& file, const Lines& lines, int line) {
  const auto words = line_at(lines, line);
  const auto at = open_quote(words);
  if (!at || is_closed_below(lines, line, words[*at])) return std::nullopt;
  return fault_at(file, line, *at, {"a quote is not closed", "close it"}, {without_end(words) + words[*at], true});
}

std::optional<SyntaxFault> colon_fault(const std::string& file, const Lines& lines, int line) {
  const auto words = line_at(lines, line);
  const auto colon = colon_in_text(words);
  if (!colon) return std::nullopt;
  const auto key_end = words.find(": ");
  const auto key = words.substr(0, key_end);
  std::string value;
  for (const char c : without_end(words.substr(words.find_first_not_of(' ', key_end + 1)))) {
    if (c == '"' || c == '\\') value += '\\';
    value += c;
  }
  return fault_at(file, line, *colon,
                  {"the text has a colon, which ends a key",
                   fmt::format("put the text into double quotes: {}: \"…\"",
                               key.substr(std::min(key.find_first_not_of(" -"), key.size())))},
                  {fmt::format("{}: \"{}\"", key, value), true});
}

std::optional<SyntaxFault> unclosed_quote(const std::string& file, const Lines& lines) {
  for (int line = 0; line < static_cast<int>(lines.size()); ++line) {
    if (auto fault = quote_fault(file, lines, line)) return fault;
  }
  return std::nullopt;
}

/// Finds the last line, at or above this one, with an unclosed bracket.
std::optional<SyntaxFault> bracket_fault(const std::string& file, const Lines& lines, int line,
                                         const Explanation& what) {
  constexpr int far = 20;
  for (int each = line; each >= std::max(0, line - far); --each) {
    const auto words = line_at(lines, each);
    const auto at = open_bracket(words);
    const auto whole = without_end(words);
    if (!at || whole.ends_with(',') || whole.size() == *at + 1) continue;  // continues below
    const char close = words[*at] == '[' ? ']' : '}';
    return fault_at(file, each, *at, what,
                    {whole + close, each == line || line_at(lines, each + 1).find(':') != std::string_view::npos});
  }
  return std::nullopt;
}

}  // namespace

std::optional<SyntaxFault> unclosed_quote(const std::string& file, std::string_view text) {
  return unclosed_quote(file, lines_of(text));
}

SyntaxFault syntax_fault(const std::string& file, std::string_view text, const YAML::Exception& error) {
  const int line = std::max(error.mark.line, 0);
  const auto column = static_cast<std::size_t>(std::max(error.mark.column, 0));
  const auto lines = lines_of(text);
  if (auto fault = unclosed_quote(file, lines); fault && fault->line <= line) return *fault;
  // The parser often notices a tab only on the next line.
  for (int each = line; each >= std::max(0, line - 1); --each) {
    if (auto fault = tab_fault(file, lines, each)) return *fault;
  }
  for (int each = line; each >= std::max(0, line - 1); --each) {
    if (auto fault = colon_fault(file, lines, each)) return *fault;
  }
  const auto words = line_at(lines, line);
  if (error.msg == "unknown token" && column < words.size()) {
    const auto end = without_end(words).size();
    std::string quoted(words.substr(0, column));
    quoted += fmt::format("'{}'", words.substr(column, std::max(end, column) - column));
    const bool is_whole = quoted.find('\'') == quoted.rfind('\'', quoted.size() - 2);
    return fault_at(file, line, column, {fmt::format("unquoted text may not begin with '{}'", words[column]), quote_it},
                    {is_whole ? quoted : "", is_whole});
  }
  for (const auto& [message, meaning, remedy] : explanations) {
    if (!error.msg.starts_with(message)) continue;
    const Explanation what{std::string(meaning), std::string(remedy)};
    if (message.ends_with(" flow") && message.starts_with("end")) {
      if (auto fault = bracket_fault(file, lines, line, what)) return *fault;
    }
    return fault_at(file, line, column, what, {});
  }
  return fault_at(file, line, column, {"this cannot be parsed", "check this line and the one before it"}, {});
}

}  // namespace ringmark

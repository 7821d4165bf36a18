#include "base/yaml_syntax.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace ringmark {
namespace {

struct Explanation {
  std::string text, remedy;
};

constexpr auto quote_it = "put the text into double quotes";

/// By the beginning of the parser's message.
constexpr struct {
  std::string_view message, text, remedy;
} explanations[]{
    {"illegal map value", "a colon stands where no value may begin", "put a text with a colon into double quotes"},
    {"illegal map key", "a key may not begin here", "indent all keys of a map alike, and give each a line"},
    {"end of map flow", "a map that { opened before is not closed", "close it with }, and separate entries by commas"},
    {"end of sequence flow", "a list that [ opened before is not closed",
     "close it with ], and separate items by commas"},
    {"end of map", "this line is no part of the map above it",
     "write 'key: value', and indent all keys of a map alike"},
    {"end of sequence", "this line is no part of the list above it", "begin each item with '- ', all indented alike"},
    {"illegal flow end", "a ] or } closes what nothing opened", "remove it, or put the text into double quotes"},
    {"illegal block entry", "a list may not begin here", "begin it with '- ' on a line of its own below its key"},
    {"illegal EOF", "a quote is not closed", "close it"},
    {"illegal document", "a line of --- or ... stands within a quoted text", "close the quote before it"},
    {"unknown escape", "double quotes do not know this backslash", "use single quotes, or double the backslash"},
    {"bad character found while scanning hex", "this is no escape of a character", "use single quotes"},
    {"the referenced anchor", "* refers to something that has no name", quote_it},
    {"alias", "* refers to something that has no name", quote_it},
    {"anchor", "& gives a name, and none follows", quote_it},
    {"illegal character found while scanning", "this character may not stand here", quote_it},
    {"illegal character", "this character may not stand here", quote_it},
    {"cannot assign multiple", "several & or ! stand before one value", quote_it},
};

std::string_view line_at(std::string_view text, int number) {
  for (; number > 0; --number) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// Where a tab stands among the characters that indent a line.
std::optional<std::size_t> tab_in_indentation(std::string_view line) {
  const auto tab = line.find('\t');
  return tab < line.find_first_not_of(" \t") && line.find_first_not_of(" \t\r") != std::string_view::npos
             ? std::optional(tab)
             : std::nullopt;
}

/// Where a second colon stands in "key: text: more".
std::optional<std::size_t> colon_in_text(std::string_view line) {
  const auto key_end = line.find(": ");
  if (key_end == std::string_view::npos) return std::nullopt;
  const auto value = line.find_first_not_of(' ', key_end + 1);
  if (value == std::string_view::npos || std::string_view("\"'[{|>").find(line[value]) != std::string_view::npos)
    return std::nullopt;
  const auto colon = std::min(line.find(": ", value), line.ends_with(':') ? line.size() - 1 : std::string_view::npos);
  return colon == std::string_view::npos ? std::nullopt : std::optional(colon);
}

Problem problem_at(const std::string& file, int line, std::size_t column, const Explanation& what) {
  return {.text = fmt::format("is no YAML, column {}: {}", column + 1, what.text),
          .remedy = what.remedy,
          .place = Place{file, line + 1}};
}

}  // namespace

Problem syntax_problem(const std::string& file, std::string_view text, const YAML::Exception& error) {
  const int line = std::max(error.mark.line, 0);
  const auto column = static_cast<std::size_t>(std::max(error.mark.column, 0));
  // A tab is often noticed only on the line after it.
  for (int each = line; each >= std::max(0, line - 1); --each) {
    if (const auto tab = tab_in_indentation(line_at(text, each)))
      return problem_at(file, each, *tab, {"a tab indents the line", "YAML is indented with spaces only"});
  }
  for (int each = line; each >= std::max(0, line - 1); --each) {
    const auto words = line_at(text, each);
    if (const auto colon = colon_in_text(words)) {
      const auto key = words.substr(0, words.find(": "));
      return problem_at(file, each, *colon,
                        {"the text has a colon, which ends a key",
                         fmt::format("put the text into double quotes: {}: \"…\"",
                                     key.substr(std::min(key.find_first_not_of(" -"), key.size())))});
    }
  }
  const auto words = line_at(text, line);
  if (error.msg == "unknown token" && column < words.size())
    return problem_at(file, line, column,
                      {fmt::format("no text without quotes may begin with '{}'", words[column]), quote_it});
  for (const auto& [message, meaning, remedy] : explanations) {
    if (error.msg.starts_with(message))
      return problem_at(file, line, column, {std::string(meaning), std::string(remedy)});
  }
  return problem_at(file, line, column, {"it is not understood here", "look at this line and the one before it"});
}

}  // namespace ringmark

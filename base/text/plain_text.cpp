#include "base/text/plain_text.hpp"

#include <algorithm>
#include <array>

namespace ringmark {
namespace {

constexpr char escape = '\x1b';

/// The length of a terminal's control sequence: "\x1b[0;32m", "\x1b]8;;address\x07", or one character after the escape.
std::size_t control_sequence(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t at = 2;
  if (text[1] == '[') {
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
    ++at;
  } else if (text[1] == ']') {
    while (at < text.size() && text[at] != '\x07' && text[at] != escape) ++at;
    ++at;
  }
  return std::min(at, text.size());
}

struct Replacement {
  std::string_view from, to;
};

constexpr std::array replacements{
    Replacement{"&lt;", "<"},   Replacement{"&gt;", ">"},   Replacement{"&amp;", "&"},  Replacement{"&quot;", "\""},
    Replacement{"&#35;", "#"},  Replacement{"&#x23;", "#"}, Replacement{"&num;", "#"},  Replacement{"&nbsp;", " "},
    Replacement{"&#160;", " "}, Replacement{"\u00A0", " "}, Replacement{"\u2007", " "}, Replacement{"\u202F", " "},
    Replacement{"\u2009", " "}, Replacement{"\u2212", "-"}, Replacement{"\u2013", "-"}, Replacement{"\u200B", ""},
    Replacement{"\uFEFF", ""},
};

/// Markdown's escapes of characters that tools write; others, such as those in a path, stay.
bool is_escaped_mark(std::string_view text) {
  return text.size() > 1 && text[0] == '\\' && std::string_view("#_[]<>*|-").find(text[1]) != std::string_view::npos;
}

}  // namespace

std::string plain_text(std::string_view line) {
  constexpr std::string_view beginnings = "\x1b&\\\xC2\xE2\xEF";
  std::string plain;
  while (!line.empty()) {
    const auto next = std::min(line.find_first_of(beginnings), line.size());
    plain += line.substr(0, next);
    line.remove_prefix(next);
    if (line.empty()) break;
    const auto* found = std::find_if(replacements.begin(), replacements.end(),
                                     [&](const Replacement& each) { return line.starts_with(each.from); });
    if (line[0] == escape) {
      line.remove_prefix(control_sequence(line));
    } else if (found != replacements.end()) {
      plain += found->to;
      line.remove_prefix(found->from.size());
    } else {
      if (is_escaped_mark(line)) line.remove_prefix(1);
      plain += line[0];
      line.remove_prefix(1);
    }
  }
  return plain;
}

}  // namespace ringmark

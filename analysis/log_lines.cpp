#include "analysis/log_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace ringmark::analysis {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

void drop_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

/// The sequences that colour a terminal.
std::string without_colours(std::string_view line) {
  constexpr char escape = '\x1b';
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != escape) {
      plain += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '[') {
      for (i += 2; i < line.size() && (line[i] < '@' || line[i] > '~');) ++i;
    } else {
      ++i;
    }
  }
  return plain;
}

/// How long the part is that looks like the pattern, in which 0 is a digit and a any letter; 0 if it does not.
std::size_t like(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool fits = pattern[i] == '0'   ? is_digit(text[i])
                      : pattern[i] == 'a' ? is_letter(text[i])
                                          : text[i] == pattern[i];
    if (!fits) return 0;
  }
  return pattern.size();
}

/// "12:34:56.789Z", "12:34:56,789 +02:00"
std::size_t clock_length(std::string_view text) {
  auto at = like(text, "00:00:00");
  if (at == 0) return 0;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
    for (++at; at < text.size() && is_digit(text[at]);) ++at;
  }
  if (at < text.size() && text[at] == 'Z') return at + 1;
  for (const std::string_view zone : {"+00:00", "-00:00", "+0000", "-0000"}) {
    const auto gap = at < text.size() && text[at] == ' ' ? std::size_t{1} : 0;
    if (const auto length = like(text.substr(at + gap), zone)) return at + gap + length;
  }
  return at;
}

/// A time, alone or after a date: "2024-05-01T12:34:56Z", "May  1 12:34:56", "Wed May  1 12:34:56 2024".
std::size_t time_length(std::string_view text) {
  std::size_t at = 0;
  for (const std::string_view date : {"0000-00-00T", "0000-00-00 ", "0000/00/00 ", "00/00/0000 ", "aaa aaa 00 ",
                                      "aaa aaa  0 ", "aaa 00 ", "aaa  0 "}) {
    if (at == 0) at = like(text, date);
  }
  const auto clock = clock_length(text.substr(at));
  if (clock == 0) return 0;
  at += clock;
  const bool has_weekday = like(text, "aaa aaa") != 0;
  return has_weekday ? at + like(text.substr(at), " 0000") : at;
}

bool is_level(std::string_view word) {
  constexpr std::array<std::string_view, 8> levels{"INFO",  "DEBUG", "WARN",   "WARNING",
                                                   "ERROR", "info",  "stdout", "stderr"};
  return std::find(levels.begin(), levels.end(), word) != levels.end();
}

/// Where mpirun's tag ends in the text, "[1,0]<stdout>:"; npos if there is none.
std::size_t tag_end(std::string_view text) {
  for (const std::string_view stream : {"<stdout>:", "<stderr>:", "<stddiag>:"}) {
    const auto at = text.find(stream);
    if (at != std::string_view::npos) return at + stream.size();
  }
  return std::string_view::npos;
}

/// Takes off the tags within a line, which stand where a rank printed a line in several parts.
std::string without_inner_tags(std::string_view line) {
  std::string plain;
  for (auto end = tag_end(line); end != std::string_view::npos; end = tag_end(line)) {
    plain += line.substr(0, std::min(line.substr(0, end).rfind('['), end));
    plain += ' ';
    line.remove_prefix(end);
  }
  plain += line;
  return plain;
}

/// Takes one prefix off; false if there is none.
bool take_prefix(std::string_view& line, std::string& origin, bool& is_after_time) {
  drop_blanks(line);
  const auto cut = [&](std::size_t length) {
    line.remove_prefix(std::min(length, line.size()));
    if (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return true;
  };
  const auto name_it = [&](std::string_view name) {
    if (origin.empty()) origin = name;
  };
  if (line.empty() || line.front() == '#') return false;

  // mpirun --tag-output: "[1,0]<stdout>:", in Open MPI 5 with the job's name before the comma.
  constexpr std::size_t most_tag = 120;
  if (const auto end = tag_end(line.substr(0, most_tag)); end != std::string_view::npos) {
    const auto tag = line.substr(0, end);
    const auto open = std::min(tag.rfind('['), tag.size());
    if (open == 0 || time_length(tag.substr(0, open)) == open) {
      if (const auto comma = tag.rfind(','); comma != std::string_view::npos) {
        const auto rank = tag.substr(comma + 1);
        name_it(rank.substr(0, std::min(rank.find_first_not_of("0123456789"), rank.size())));
      }
      return cut(end);
    }
  }

  const auto word = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
  const bool is_whole = word.size() == line.size();
  if (line.front() == '[') {
    const auto end = line.find(']');
    if (end == std::string_view::npos || end > most_tag) return false;
    const auto inside = line.substr(1, end - 1);
    const auto after = end + 1 < line.size() && line[end + 1] == ':' ? end + 2 : end + 1;
    const bool is_time = time_length(inside) == inside.size() && !inside.empty();
    const bool is_name = !inside.empty() && inside.find_first_of(" \t,[") == std::string_view::npos;
    if (after < line.size() && !is_blank(line[after]) && after == end + 1) return false;
    if (!is_time && !is_name) return false;
    if (is_time) {
      is_after_time = true;
    } else if (!is_level(inside)) {
      name_it(inside);
    }
    return cut(after);
  }
  if (const auto length = time_length(line); length > 0 && (length == line.size() || !is_digit(line[length]))) {
    const bool is_syslog = like(line, "aaa") != 0;
    is_after_time = true;
    cut(length);
    drop_blanks(line);
    // "host program[123]: " of syslog
    const auto host = line.substr(0, std::min(line.find(' '), line.size()));
    if (is_syslog && host.size() < line.size() && !host.starts_with('#')) {
      const auto program = line.substr(host.size() + 1, line.find(' ', host.size() + 1) - host.size() - 1);
      if (program.ends_with(':')) {
        name_it(host);
        cut(host.size() + 1 + program.size());
      }
    }
    return true;
  }
  if (line.front() == '(') {  // Ray: "(worker pid=123, ip=10.0.0.1) "
    const auto end = line.find(") ");
    if (end == std::string_view::npos || end > most_tag || line.substr(0, end).find("pid=") == std::string_view::npos)
      return false;
    name_it(line.substr(1, end - 1));
    return cut(end + 1);
  }
  if (is_after_time && (word == "-" || word == "|" || word == "F" || word == "P")) return cut(1);
  if (is_level(word) && !is_whole) {
    is_after_time = true;  // as a logger writes it
    return cut(word.size());
  }
  if (line.front() == '>' && !is_whole) return cut(1);                      // a quotation
  if (word.ends_with(':') && word.size() > 1 && word.size() <= most_tag) {  // srun -l, pdsh
    if (!is_level(word.substr(0, word.size() - 1))) name_it(word.substr(0, word.size() - 1));
    return cut(word.size());
  }
  for (const std::string_view level : {"INFO:", "WARNING:", "DEBUG:"}) {  // Python's "INFO:root:"
    const auto colon = line.starts_with(level) ? line.find(':', level.size()) : std::string_view::npos;
    if (colon != std::string_view::npos && colon < word.size()) return cut(colon + 1);
  }
  // Docker Compose: "launcher-1  | "
  auto rest = line.substr(word.size());
  drop_blanks(rest);
  if (is_letter(word.front()) && rest.starts_with("| ")) {
    name_it(word);
    return cut(line.size() - rest.size() + 1);
  }
  return false;
}

/// The text of a line of Docker's log: {"log":"…\n","stream":"stdout","time":"…"}
std::string of_docker(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("log") || !json["log"].is_string()) return std::string(line);
  return json["log"].get<std::string>();
}

}  // namespace

std::string without_prefixes(std::string_view line, std::string& origin) {
  std::string clean;
  if (line.starts_with("{\"log\":")) line = clean = of_docker(line);
  if (line.find('\x1b') != std::string_view::npos) line = clean = without_colours(line);
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  // A line that was written over on a terminal.
  if (const auto again = line.rfind('\r'); again != std::string_view::npos) line.remove_prefix(again + 1);
  constexpr int most_prefixes = 6;
  bool is_after_time = false;
  const auto whole = line;
  for (int i = 0; i < most_prefixes && take_prefix(line, origin, is_after_time);) ++i;
  // Without a prefix the indentation stays.
  auto unindented = whole;
  drop_blanks(unindented);
  if (line.size() == unindented.size()) line = whole;
  return tag_end(line) == std::string_view::npos ? std::string(line) : without_inner_tags(line);
}

bool begins_table(std::string_view line) {
  const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
  return (has("algbw") && has("busbw") && has("size")) || has("# OSU ") || has("# Benchmarking ") ||
         (has("#bytes") && has("#iterations"));
}

std::vector<LogLine> log_lines(std::string_view text) {
  std::vector<LogLine> lines;
  std::set<std::string> with_tables;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    LogLine line{"", number};
    line.text = without_prefixes(text.substr(0, end), line.origin);
    if (!line.origin.empty() && begins_table(line.text)) with_tables.insert(line.origin);
    lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::map<std::string, std::size_t> order;
  std::string_view last;
  bool is_mixed = false;
  for (const auto& line : lines) {
    const bool is_new = order.try_emplace(line.origin, order.size()).second;
    if (!with_tables.contains(line.origin)) continue;
    is_mixed = is_mixed || (!is_new && line.origin != last);
    last = line.origin;
  }
  // Elsewhere a table stays below the command that it is of.
  if (with_tables.size() > 1 && is_mixed) {
    std::stable_sort(lines.begin(), lines.end(),
                     [&](const LogLine& x, const LogLine& y) { return order.at(x.origin) < order.at(y.origin); });
  }
  return lines;
}

}  // namespace ringmark::analysis

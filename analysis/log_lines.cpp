#include "analysis/log_lines.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "analysis/log_prefix.hpp"

namespace ringmark::analysis {
namespace {

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
  constexpr int most_prefixes = 8;
  const auto whole = line;
  PrefixReader prefixes(line);
  for (int i = 0; i < most_prefixes && prefixes.take();) ++i;
  line = prefixes.rest();
  origin = prefixes.origin();
  // Without a prefix the indentation stays.
  auto unindented = whole;
  drop_blanks(unindented);
  if (line.size() == unindented.size()) line = whole;
  return tag_end(line) == std::string_view::npos ? std::string(line) : without_inner_tags(line);
}

bool begins_table(std::string_view line) {
  const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
  return (has("algbw") && has("busbw") && (has("size") || has("bytes"))) || has("# OSU ") || has("# Benchmarking ") ||
         (has("#bytes") && has("iterations"));
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

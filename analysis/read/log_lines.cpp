#include "analysis/read/log_lines.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "analysis/read/log_prefix.hpp"
#include "base/text/plain_text.hpp"
#include "transports/nccl/log_lines.hpp"

namespace ringmark::analysis {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

void drop_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

bool begins_like_row(std::string_view text) {
  drop_blanks(text);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

/// Where a message of NCCL begins within a row; npos if there is none. Unless a tag is between them, no blank separates
/// the row's last word, a number or "N/A", from the host's name.
std::size_t nccl_message_in(std::string_view row) {
  const auto message = split_nccl_line(row);
  const auto host = message ? row.find(message->process) : std::string_view::npos;
  if (host == 0 || host == std::string_view::npos) return std::string_view::npos;
  const auto before = row.substr(0, host), name = row.substr(host);
  const bool is_behind_tag = before.ends_with("] ") || before.ends_with(": ");
  if (before.ends_with(' ') && !is_behind_tag)
    return host + std::min(name.find_first_not_of("-0123456789"), name.find(':'));
  return before.ends_with("N/") && name.starts_with('A') ? host + 1 : host;
}

void drop_end(std::string_view& text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
}

/// A part of a row, without the time of the next part at its end.
std::string_view without_time(std::string_view part) {
  auto text = part;
  drop_end(text);
  const auto open = text.rfind('[');
  const bool has_time =
      text.ends_with(']') && open != std::string_view::npos && is_time(text.substr(open + 1, text.size() - open - 2));
  return has_time ? part.substr(0, open) : part;
}

/// A table's line, with blanks in place of the separators that a spreadsheet or Markdown puts between cells.
std::string without_cells(std::string_view line) {
  constexpr std::size_t least = 8;
  std::string text(line);
  auto words = line;
  words.remove_prefix(std::min(words.find_first_not_of("#|;, \t"), words.size()));
  if (!begins_like_row(words) && !words.starts_with("size") && !words.starts_with("bytes")) return text;
  for (const char between : {'|', ';', ','}) {
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), between)) < least) continue;
    std::replace(text.begin(), text.end(), between, ' ');
    return text;
  }
  return text;
}

/// Adds a row that may be interrupted: by tags, where a rank printed a line in several parts, by other ranks' parts,
/// and by a message of NCCL.
void add_row(std::vector<LogLine>& lines, std::string_view text, LogLine line, const PrefixReader& prefixes) {
  // OSU prints the names of its columns in parts too.
  const auto tag = begins_like_row(text) || without_hash(text).starts_with("Size") ? prefixes.tag() : "";
  const auto is_own = [&](const std::string& origin) {
    return origin.empty() || prefixes.tagged().empty() || origin == prefixes.tagged();
  };
  const auto own_origin = line.origin;
  const auto message = begins_like_row(text) ? std::min(nccl_message_in(text), text.size()) : text.size();
  const auto nccl = text.substr(message);
  if (!nccl.empty()) {
    text = without_time(text.substr(0, message));
    drop_end(text);
  }
  for (auto inner = inner_tag(text, tag); inner; inner = inner_tag(text, tag)) {
    line.text += without_time(text.substr(0, inner->begin));
    text.remove_prefix(inner->end);
    const auto& origin = is_own(inner->origin) ? own_origin : inner->origin;
    if (origin == line.origin) {
      line.text += ' ';
    } else {
      lines.push_back(std::exchange(line, {"", line.number, origin}));
    }
  }
  line.text += text;
  line.text.resize(line.text.find_last_not_of(" \t") + 1);
  if (nccl.empty()) return lines.push_back(std::move(line));
  auto rest = line;
  rest.text = nccl;
  lines.push_back(std::move(line));
  lines.push_back(std::move(rest));
}

/// Drops every second line if every line occurs twice, as when a log reached a file in two ways.
void drop_doubles(std::vector<LogLine>& lines) {
  constexpr std::size_t least = 8;
  if (lines.size() < least || lines.size() % 2 != 0) return;
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    if (lines[i].text != lines[i + 1].text || lines[i].origin != lines[i + 1].origin) return;
  }
  std::size_t index = 0;
  std::erase_if(lines, [&](const LogLine&) { return index++ % 2 != 0; });
}

}  // namespace

std::optional<std::string> text_of_json_line(std::string_view line) {
  if (!line.starts_with("{\"")) return std::nullopt;
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  for (const char* key : {"log", "message", "msg", "MESSAGE"}) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_string()) return found->get<std::string>();
  }
  return std::nullopt;
}

std::vector<LogLine> parts_of_line(std::string_view line, std::size_t number) {
  std::string of_container;
  if (auto text = text_of_json_line(line)) {
    of_container = *std::move(text);
    line = of_container;
  }
  const auto plain = without_cells(plain_text(line));
  line = plain;
  drop_end(line);
  // On a terminal, the text after a carriage return replaced the text before.
  if (const auto again = line.rfind('\r'); again != std::string_view::npos) line.remove_prefix(again + 1);
  constexpr int most_prefixes = 8;
  const auto whole = line;
  PrefixReader prefixes(line);
  for (int i = 0; i < most_prefixes && prefixes.take();) ++i;
  line = prefixes.rest();
  // Without a prefix the indentation stays.
  auto unindented = whole;
  drop_blanks(unindented);
  if (line.size() == unindented.size()) line = whole;
  std::vector<LogLine> parts;
  add_row(parts, line, {"", number, prefixes.origin()}, prefixes);
  return parts;
}

std::string_view without_hash(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
  return line;
}

bool is_title_of_osu(std::string_view line) {
  const auto title = without_hash(line);
  const bool has_test = title.ends_with(" Test") || title.find(" Test ") != std::string_view::npos;
  return title.starts_with("OSU ") && (line.find("# OSU ") != std::string_view::npos || has_test);
}

bool is_title_of_imb(std::string_view line) {
  constexpr std::string_view word = "Benchmarking";
  const auto title = without_hash(line);
  return title.starts_with(word) && title.size() > word.size() + 1 && is_blank(title[word.size()]);
}

bool begins_table(std::string_view line) {
  const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
  return (has("algbw") && has("busbw") && (has("size") || has("bytes"))) || is_title_of_osu(line) ||
         is_title_of_imb(line) || (has("#bytes") && has("iterations"));
}

std::vector<LogLine> log_lines(std::string_view text) {
  std::vector<LogLine> lines;
  std::set<std::string> with_tables;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    for (auto& line : parts_of_line(text.substr(0, end), number)) {
      if (!line.origin.empty() && begins_table(line.text)) with_tables.insert(line.origin);
      lines.push_back(std::move(line));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  drop_doubles(lines);
  std::map<std::string, std::size_t> order;
  std::string_view last;
  bool is_mixed = false;
  for (const auto& line : lines) {
    const bool is_new = order.try_emplace(line.origin, order.size()).second;
    if (!with_tables.contains(line.origin)) continue;
    is_mixed = is_mixed || (!is_new && line.origin != last);
    last = line.origin;
  }
  // Otherwise, the order is kept, so that a table stays below its command.
  if (with_tables.size() > 1 && is_mixed) {
    std::stable_sort(lines.begin(), lines.end(),
                     [&](const LogLine& x, const LogLine& y) { return order.at(x.origin) < order.at(y.origin); });
  }
  return lines;
}

}  // namespace ringmark::analysis

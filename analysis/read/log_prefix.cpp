#include "analysis/read/log_prefix.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ringmark::analysis {
namespace {

constexpr std::size_t most_tag = 120;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_space_or_tab(char c) { return c == ' ' || c == '\t'; }

/// The length of the pattern if the text begins like it, or else 0. In the pattern, 0 is any digit and a is any letter.
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

/// "0" for mpirun's tag "[1,0]<stdout>:".
std::string_view rank_in(std::string_view tag) {
  const auto comma = tag.rfind(',');
  if (comma == std::string_view::npos) return "";
  const auto rank = tag.substr(comma + 1);
  return rank.substr(0, rank.find_first_not_of("0123456789"));
}

/// The length of a tag at the text's beginning that differs from `own` only in numbers; 0 if there is none.
std::size_t tag_like(std::string_view own, std::string_view text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (at == text.size()) return 0;
    if (is_digit(own[i]) && is_digit(text[at])) {
      while (i + 1 < own.size() && is_digit(own[i + 1])) ++i;
      while (at < text.size() && is_digit(text[at])) ++at;
    } else if (text[at++] != own[i]) {
      return 0;
    }
  }
  return at;
}

/// The first tag of the same kind as the one before the line. A bare number before a colon cannot be separated from
/// digits in front of it, so it must be the same number.
std::optional<InnerTag> tag_of_own_kind(std::string_view line, std::string_view own) {
  if (own.empty()) return std::nullopt;
  const bool has_brackets = own.front() == '[';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto rest = line.substr(at);
    const auto length = has_brackets ? tag_like(own, rest) : rest.starts_with(own) ? own.size() : 0;
    const bool has_end = at + length == line.size() || is_space_or_tab(line[at + length]) || own.ends_with("]:");
    if (length == 0 || !has_end) continue;
    const auto tag = rest.substr(0, length);
    const auto name = has_brackets ? tag.substr(1, tag.find(']') - 1) : tag.substr(0, tag.size() - 1);
    return InnerTag{at, at + length, std::string(name)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<InnerTag> inner_tag(std::string_view line, std::string_view own) {
  auto first = tag_of_own_kind(line, own);
  const auto end = tag_end(line);
  const auto begin = end == std::string_view::npos ? end : std::min(line.substr(0, end).rfind('['), end);
  if (end == std::string_view::npos || (first && first->begin < begin)) return first;
  return InnerTag{begin, end, std::string(rank_in(line.substr(begin, end - begin)))};
}

bool is_time(std::string_view text) { return !text.empty() && time_length(text) == text.size(); }

bool PrefixReader::cut(std::size_t length) {
  rest_.remove_prefix(std::min(length, rest_.size()));
  if (!rest_.empty() && is_space_or_tab(rest_.front())) rest_.remove_prefix(1);
  return true;
}

void PrefixReader::name_it(std::string_view name) {
  if (origin_.empty()) origin_ = name;
}

void PrefixReader::drop_blanks() {
  while (!rest_.empty() && is_space_or_tab(rest_.front())) rest_.remove_prefix(1);
}

std::string_view PrefixReader::word() const {
  return rest_.substr(0, std::min(rest_.find_first_of(" \t"), rest_.size()));
}

/// mpirun --tag-output: "[1,0]<stdout>:", in Open MPI 5 with the job's name before the comma.
PrefixReader::Taken PrefixReader::take_tag() {
  const auto end = tag_end(rest_.substr(0, most_tag));
  if (end == std::string_view::npos) return std::nullopt;
  const auto tag = rest_.substr(0, end);
  const auto open = std::min(tag.rfind('['), tag.size());
  if (open != 0 && time_length(tag.substr(0, open)) != open) return std::nullopt;
  tagged_ = rank_in(tag);
  name_it(tagged_);
  return cut(end);
}

/// "[2024-05-01 12:34:56]", "[INFO]", "[node-3]:"
PrefixReader::Taken PrefixReader::take_brackets() {
  if (rest_.front() != '[') return std::nullopt;
  const auto end = rest_.find(']');
  if (end == std::string_view::npos || end > most_tag) return false;
  const auto inside = rest_.substr(1, end - 1);
  const auto after = end + 1 < rest_.size() && rest_[end + 1] == ':' ? end + 2 : end + 1;
  const bool has_time = is_time(inside);
  const bool is_name = !inside.empty() && inside.find_first_of(" \t,[") == std::string_view::npos;
  if (after < rest_.size() && !is_space_or_tab(rest_[after]) && after == end + 1) return false;
  if (!has_time && !is_name) return false;
  if (has_time) {
    is_after_time_ = true;
  } else if (!is_level(inside)) {
    name_it(inside);
    tag_ = rest_.substr(0, after);
    tagged_ = inside;
  }
  return cut(after);
}

/// A time, and syslog's "host program[123]: " after it.
PrefixReader::Taken PrefixReader::take_time() {
  const auto length = time_length(rest_);
  if (length == 0 || (length < rest_.size() && is_digit(rest_[length]))) return std::nullopt;
  const bool is_syslog = like(rest_, "aaa") != 0;
  is_after_time_ = true;
  cut(length);
  drop_blanks();
  const auto host = rest_.substr(0, std::min(rest_.find(' '), rest_.size()));
  if (is_syslog && host.size() < rest_.size() && !host.starts_with('#')) {
    const auto program = rest_.substr(host.size() + 1, rest_.find(' ', host.size() + 1) - host.size() - 1);
    if (program.ends_with(':')) {
      name_it(host);
      cut(host.size() + 1 + program.size());
    }
  }
  return true;
}

/// Ray: "(worker pid=123, ip=10.0.0.1) "
PrefixReader::Taken PrefixReader::take_worker() {
  if (rest_.front() != '(') return std::nullopt;
  const auto end = rest_.find(") ");
  if (end == std::string_view::npos || end > most_tag || rest_.substr(0, end).find("pid=") == std::string_view::npos)
    return false;
  name_it(rest_.substr(1, end - 1));
  return cut(end + 1);
}

/// Kubernetes' own programs: "I0501 12:34:56.123456   12345 main.go:12] "
PrefixReader::Taken PrefixReader::take_kubernetes_log() {
  const bool begins_so = std::string_view("IWEF").find(rest_.front()) != std::string_view::npos;
  if (!begins_so || like(rest_, "a0000 00:00:00.") == 0) return std::nullopt;
  const auto end = rest_.find("] ");
  if (end == std::string_view::npos || end > most_tag) return false;
  is_after_time_ = true;
  return cut(end + 1);
}

PrefixReader::Taken PrefixReader::take_after_time() {
  if (!is_after_time_) return std::nullopt;
  const auto first = word();
  // GitLab: the number and the kind of the stream, "01O", "02E+"
  const bool is_stream = like(first, "00a") != 0 && (first[2] == 'O' || first[2] == 'E') && first.size() < 5;
  // Loguru: "INFO     | module:function:12 - "
  const bool is_place = first.find(':') < first.rfind(':') && rest_.substr(first.size()).starts_with(" - ");
  if ((is_stream && !is_one_word()) || is_place) return cut(first.size());
  if (first == "-" || first == "|" || first == "F" || first == "P") return cut(1);
  return std::nullopt;
}

/// A logger's level, or the > of quoted text.
PrefixReader::Taken PrefixReader::take_level() {
  if (is_one_word()) return std::nullopt;
  if (is_level(word())) {
    is_after_time_ = true;  // as a logger writes it
    return cut(word().size());
  }
  return rest_.front() == '>' ? Taken(cut(1)) : std::nullopt;
}

/// srun -l, pdsh: "3: ", "node-3: "
PrefixReader::Taken PrefixReader::take_name() {
  const auto first = word();
  if (!first.ends_with(':') || first.size() == 1 || first.size() > most_tag) return std::nullopt;
  const auto name = first.substr(0, first.size() - 1);
  if (!is_level(name)) {
    name_it(name);
    tag_ = first;
    tagged_ = name;
  }
  return cut(first.size());
}

/// "INFO:root:"
PrefixReader::Taken PrefixReader::take_python_logger() {
  for (const std::string_view level : {"INFO:", "WARNING:", "DEBUG:"}) {
    const auto colon = rest_.starts_with(level) ? rest_.find(':', level.size()) : std::string_view::npos;
    if (colon != std::string_view::npos && colon < word().size()) return cut(colon + 1);
  }
  return std::nullopt;
}

/// Docker Compose: "launcher-1  | "
PrefixReader::Taken PrefixReader::take_service() {
  const auto name = word();
  const auto at = rest_.find_first_not_of(" \t", name.size());
  if (!is_letter(name.front()) || at == std::string_view::npos || !rest_.substr(at).starts_with("| "))
    return std::nullopt;
  name_it(name);
  return cut(at + 1);
}

bool PrefixReader::take() {
  drop_blanks();
  if (rest_.empty() || rest_.front() == '#') return false;
  // More specific kinds come before those that they look like.
  constexpr std::array kinds{
      &PrefixReader::take_tag,    &PrefixReader::take_brackets,       &PrefixReader::take_time,
      &PrefixReader::take_worker, &PrefixReader::take_kubernetes_log, &PrefixReader::take_after_time,
      &PrefixReader::take_level,  &PrefixReader::take_name,           &PrefixReader::take_python_logger,
      &PrefixReader::take_service};
  for (const auto take_kind : kinds) {
    if (const auto taken = (this->*take_kind)()) return *taken;
  }
  return false;
}

}  // namespace ringmark::analysis

#include "analysis/read/torn_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/with_count.hpp"

namespace ringmark::analysis {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Numbers and garbage have few letters.
bool is_of_few_letters(const Words& words) {
  std::ptrdiff_t letters = 0, all = 0;
  for (const auto word : words) {
    letters += std::count_if(word.begin(), word.end(), is_letter);
    all += static_cast<std::ptrdiff_t>(word.size());
  }
  return 2 * letters < all;
}

bool was_number(std::string_view word) {
  return std::any_of(word.begin(), word.end(), is_digit) && is_of_few_letters({word});
}

/// The number of steps in a ratio of sizes; nothing if it is not a whole number.
std::optional<std::size_t> steps_in(double ratio, double step) {
  if (step <= 1 || ratio <= 1) return std::nullopt;
  const double steps = std::round(std::log(ratio) / std::log(step));
  constexpr double rounding = 0.01;  // of sizes to whole blocks
  if (steps < 1 || std::abs(std::pow(step, steps) / ratio - 1) >= rounding) return std::nullopt;
  return static_cast<std::size_t>(steps);
}

double ratio_of(std::uint64_t below, std::uint64_t above) {
  return above == 0 ? 0 : static_cast<double>(below) / static_cast<double>(above);
}

}  // namespace

void TornRows::begin(std::size_t words, std::size_t names) {
  is_in_table_ = true;
  words_ = words;
  names_ = names;
  gaps_.assign(1, {});
  first_torn_.clear();
}

void TornRows::row(std::uint64_t bytes) {
  if (!is_in_table_) return;
  gaps_.back().bytes_below = bytes;
  gaps_.emplace_back().bytes_above = bytes;
}

void TornRows::other(const LogLine& line) {
  const auto begin = line.text.find_first_not_of(" \t");
  if (is_in_table_ && begin != std::string::npos && line.text[begin] != '#')
    gaps_.back().lines.push_back({line.number, line.text, ""});
}

void TornRows::torn(const LogLine& line, std::string why) {
  if (is_in_table_) gaps_.back().lines.push_back({line.number, line.text, std::move(why)});
}

bool TornRows::may_be_row(const Words& words, const Gap& gap) const {
  constexpr std::size_t more = 2;
  if (words.size() > words_ + more) return false;
  const bool has_number = std::any_of(words.begin(), words.end(), [](auto word) { return number_in<double>(word); });
  return is_in_series(words, gap) || ((has_number || is_digit(words.front().front())) && is_of_few_letters(words));
}

/// The same below the last row.
bool TornRows::may_end_table(const Words& words, const Gap& gap) const {
  constexpr std::size_t fewest = 3, damaged = 2;
  const auto size = number_in<std::uint64_t>(words.front());
  const bool is_fraction = !size && number_in<double>(words.front());
  if (is_fraction || (size && *size <= gap.bytes_above) || !may_be_row(words, gap) || !is_of_few_letters(words))
    return false;
  const auto numbers = static_cast<std::size_t>(std::count_if(words.begin(), words.end(), was_number));
  const bool differs_in_digits = words.size() == words_ && numbers + names_ >= words_;
  const bool has_most = numbers >= fewest && numbers + names_ + damaged >= words_ && words.size() + 1 >= words_;
  return (differs_in_digits && was_number(words.front())) || has_most || (is_in_series(words, gap) && words.size() > 1);
}

/// True if the line begins with a size that the series has between the rows above and below.
bool TornRows::is_in_series(const Words& words, const Gap& gap) const {
  const auto size = number_in<std::uint64_t>(words.front());
  if (!size || *size <= gap.bytes_above || (gap.bytes_below > 0 && *size >= gap.bytes_below)) return false;
  const double ratio = gap.bytes_above > 0 ? ratio_of(*size, gap.bytes_above) : ratio_of(gap.bytes_below, *size);
  return steps_in(ratio, step_).has_value();
}

/// The ratio of successive sizes, if at least half of them share it; 0 otherwise.
double TornRows::usual_step() const {
  std::map<double, std::size_t> counts;
  std::size_t all = 0;
  for (const auto& gap : gaps_) {
    if (gap.bytes_above == 0 || gap.bytes_below <= gap.bytes_above) continue;
    ++counts[ratio_of(gap.bytes_below, gap.bytes_above)];
    ++all;
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most != counts.end() && most->second > 1 && 2 * most->second >= all ? most->first : 0;
}

void TornRows::report(const Gap& gap) {
  constexpr std::size_t shown = 60;
  auto missing = steps_in(ratio_of(gap.bytes_below, gap.bytes_above), step_).value_or(1) - 1;
  const bool is_last = &gap == &gaps_.back();
  const Line* unknown = nullptr;
  for (const auto& line : gap.lines) {
    const auto words = words_of(line.text);
    const bool is_row = !line.why.empty() || (is_last ? may_end_table(words, gap) : may_be_row(words, gap));
    if (is_row) {
      const auto why =
          line.why.empty() ? fmt::format("a row that cannot be read: '{}'", shortened(line.text, shown)) : line.why;
      rows_.note(fmt::format("{}: left out: {}", rows_.at(line.number), why));
      if (first_torn_.empty()) first_torn_ = fmt::format("line {} has {}", line.number, why);
      if (missing > 0) --missing;
    } else if (unknown == nullptr) {
      unknown = &line;
    }
  }
  if (missing > 0 && unknown != nullptr)
    rows_.note(fmt::format("{}: left out: {} replaced by '{}'", rows_.at(unknown->number), with_count(missing, "row"),
                           shortened(unknown->text, shown)));
}

std::string TornRows::end() {
  if (!is_in_table_) return "";
  is_in_table_ = false;
  step_ = usual_step();
  for (const auto& gap : gaps_) report(gap);
  if (gaps_.size() > 1 || first_torn_.empty()) return "";
  return fmt::format("its table has no row that can be read: {}", first_torn_);
}

}  // namespace ringmark::analysis

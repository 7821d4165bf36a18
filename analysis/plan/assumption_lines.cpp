#include "analysis/plan/assumption_lines.hpp"

#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "analysis/plan/limits.hpp"
#include "analysis/plan/words.hpp"

namespace ringmark::analysis {
namespace {

/// In a cell, 0 means none.
Interval limits_of_cell(const AssumptionLines::Line& line) {
  auto limits = limits_of(line.key);
  if (line.note.starts_with("0:")) limits.low = 0;
  return limits;
}

/// Files store 16 digits of a number.
std::string equals(const std::string& cell, double value) {
  return fmt::format("ABS(N({})-{})<={}", cell, constant(value), constant(1e-12 * std::abs(value)));
}

}  // namespace

void AssumptionLines::heading() {
  const char* titles[]{"assumption", "value", "low", "high", "unit", "source", "key", "note"};
  for (std::size_t c = 0; c < std::size(titles); ++c)
    sheet_.text(line_, c, titles[c],
                c == first_words                   ? Style::indented_heading
                : c == in_words || c > first_words ? Style::heading
                                                   : Style::number_heading);
  worksheet_repeat_rows(sheet_.raw(), static_cast<lxw_row_t>(line_), static_cast<lxw_row_t>(line_));
  ++line_;
}

void AssumptionLines::title(const std::string& words) {
  ++line_;
  text(words, Style::bold);
}

void AssumptionLines::text(const std::string& words, Style style) { sheet_.text(line_++, in_words, words, style); }

void AssumptionLines::describe(const std::string& words, const Line& line) {
  const std::string cells[]{line.unit, line.source, line.key, line.note};
  sheet_.text(line_, in_words, words);
  for (std::size_t i = 0; i < std::size(cells); ++i)
    sheet_.text(line_, first_words + i, cells[i], i == 0 ? Style::indented : Style::plain);
}

void AssumptionLines::describe(const Line& line) { describe(input_words(line.key), line); }

void AssumptionLines::state(const Line& line, const std::string& value) {
  describe(line);
  sheet_.text(line_++, in_value, value);
}

void AssumptionLines::state(const Line& line, double value, const Interval& range) {
  if (range.low < 1) sheet_.number(line_, in_low, value * range.low, Style::figure);
  if (range.high > 1) sheet_.number(line_, in_high, value * range.high, Style::figure);
  state(input_words(line.key), line, value);
}

void AssumptionLines::state(const std::string& words, const Line& line, double value) {
  describe(words, line);
  sheet_.number(line_++, in_value, value, Style::figure);
}

/// "price_IB_A100_": letters, digits and underscores, and unique.
std::string AssumptionLines::unique_name(const std::string& what, const std::string& of) {
  auto name = what + (of.empty() ? "" : "_" + of);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  const auto base = name += "_";  // so that it never looks like a cell's address
  for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}{}_", base, i);
  return name;
}

std::string AssumptionLines::named(const std::string& what, const std::string& of, Column column) {
  auto name = unique_name(what, of);
  sheet_.book().define_name(name, "=Assumptions!" + cell_at(column, line_));
  return name;
}

std::string AssumptionLines::end(const Line& line, const std::string& cluster) {
  auto name = named(line.key, cluster, in_value);
  ++line_;
  return name;
}

std::string AssumptionLines::assume(const Line& line, double now, const std::string& cluster) {
  describe(line);
  sheet_.number(line_, in_value, now, Style::input);
  restrict_input(line);
  note_change(equals(cell_at(in_value, line_), now));
  return end(line, cluster);
}

std::string AssumptionLines::assume(const Line& line, double now, const Interval& range, const std::string& cluster,
                                    CellNames::Ends& ends) {
  describe(line);
  sheet_.number(line_, in_value, now, Style::input);
  auto likely = named(line.key, cluster, in_value);
  const auto end_of = [&](Column column, const char* called, double factor) {
    if (factor == 1)
      sheet_.text(line_, column, "", Style::input);
    else
      sheet_.number(line_, column, now * factor, Style::input);
    return named(fmt::format("{}_{}", line.key, called), cluster, column);
  };
  const auto least = end_of(in_low, "low", range.low), most = end_of(in_high, "high", range.high);
  const auto limits = limits_of_cell(line);
  const auto highest = constant(limits.high);
  keep_order(in_low, "0", likely);
  keep_order(in_value, fmt::format("MAX({},N({}))", constant(limits.low), least),
             fmt::format("IF(N({0})>0,{0},{1})", most, highest));
  keep_order(in_high, likely, highest);
  const auto as_planned = [&](Column column, double factor) {
    return equals(cell_at(column, line_), factor == 1 ? 0 : now * factor);
  };
  note_change(as_planned(in_low, range.low) + "," + equals(likely, now) + "," + as_planned(in_high, range.high));
  ++line_;
  ends = {fmt::format("IF(N({0})>0,MIN({0},{1}),{1})", least, likely), fmt::format("MAX(N({}),{})", most, likely)};
  return likely;
}

std::string AssumptionLines::assume_day(const Line& line, const std::optional<double>& now) {
  describe(line);
  if (now)
    sheet_.number(line_, in_value, *now, Style::day_input);
  else
    sheet_.text(line_, in_value, "", Style::day_input);
  note_change(equals(cell_at(in_value, line_), now.value_or(0)));
  lxw_data_validation rule{};
  rule.validate = LXW_VALIDATION_TYPE_DECIMAL;
  rule.criteria = LXW_VALIDATION_CRITERIA_GREATER_THAN_OR_EQUAL_TO;
  worksheet_data_validation_cell(sheet_.raw(), static_cast<lxw_row_t>(line_), in_value, &rule);
  return end(line, "");
}

std::string AssumptionLines::choose(const Line& line, const std::string& cluster,
                                    const std::vector<std::string>& choices) {
  describe(line);
  sheet_.text(line_, in_value, choices.front(), Style::input);
  sheet_.offer(line_, in_value, choices);
  note_change(cell_at(in_value, line_) + "=" + quoted(choices.front()));
  return end(line, cluster);
}

std::string AssumptionLines::compute(const Line& line, const std::string& formula, double now,
                                     const std::string& cluster) {
  describe(line);
  sheet_.formula(line_, in_value, formula, now, Style::hundredth);
  return end(line, cluster);
}

void AssumptionLines::keep_order(Column column, const std::string& from, const std::string& to) {
  auto least = "=" + from, most = "=" + to;  // the library's texts are not const
  char title[] = "Not in order", message[] = "Give low <= value <= high.";
  lxw_data_validation rule{};
  rule.validate = LXW_VALIDATION_TYPE_DECIMAL_FORMULA;
  rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
  rule.minimum_formula = least.data();
  rule.maximum_formula = most.data();
  rule.error_title = title;
  rule.error_message = message;
  worksheet_data_validation_cell(sheet_.raw(), static_cast<lxw_row_t>(line_), static_cast<lxw_col_t>(column), &rule);
}

void AssumptionLines::restrict_input(const Line& line) {
  const auto limits = limits_of_cell(line);
  auto message = fmt::format("Give a number from {} to {}.", limits.low, limits.high);
  char title[] = "Out of range";
  lxw_data_validation rule{};
  rule.validate = LXW_VALIDATION_TYPE_DECIMAL;
  rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
  rule.minimum_number = limits.low;
  rule.maximum_number = limits.high;
  rule.error_title = title;
  rule.error_message = message.data();
  worksheet_data_validation_cell(sheet_.raw(), static_cast<lxw_row_t>(line_), in_value, &rule);
}

void AssumptionLines::note_change(const std::string& is_as_planned) {
  sheet_.formula(line_, in_changed, fmt::format("=IF(AND({}),0,1)", is_as_planned), 0, Style::whole);
}

std::string AssumptionLines::changes() const {
  return fmt::format("SUM({})", column_range("Assumptions", in_changed, 0, line_ - 1));
}

}  // namespace ringmark::analysis

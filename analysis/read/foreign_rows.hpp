// Common parts of the readers of other tools' output: words and numbers, launches, and how values become rows.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "analysis/read/log_lines.hpp"
#include "analysis/read/read_results.hpp"
#include "base/operation.hpp"
#include "results/schema/record.hpp"

namespace ringmark::analysis {

using Words = std::vector<std::string_view>;

/// Separated by blanks.
Words words_of(std::string_view line);
inline bool says(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

/// The word as a finite number; nothing if any part of it is something else.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

bool are_numbers(const Words& words);

/// Half a unit of the last printed digit; nothing for words that are not plain decimals.
std::optional<double> rounding_of(std::string_view word);
/// True for a number such as "4,99". "1,048,576" and "1,024" separate thousands.
bool has_decimal_comma(std::string_view word);

/// The number in the column of that name; empty without such a column. A row has a word for each column.
std::optional<double> figure_below(std::string_view column, const std::vector<std::string>& columns, const Words& row);

/// The collective that a name contains, the longest if there are several: "reduce_scatter" is not a "reduce".
std::optional<Collective> collective_in(std::string_view text);
/// The collective of exactly that name: nothing for "Allgatherv".
std::optional<Collective> collective_called(std::string_view word);

/// The rows of one file.
class ForeignRows {
 public:
  ForeignRows(Results& results, const std::string& file, std::string_view text, const ReadOptions& options)
      : results_(results), file_(file), text_(text), options_(options) {}

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  const ReadOptions& options() const { return options_; }
  std::size_t size() const { return results_.table.rows() - before_; }
  std::string at(std::size_t line) const;
  void note(const std::string& text) { results_.notes.push_back(text); }
  /// Records a guess about a table.
  void guess(std::size_t line, const std::string& text) { keep(guesses_, line, text); }
  /// Records why a table or a row is not read: "f:12: 'Allgatherv' is not a known collective".
  void refuse(std::size_t line, const std::string& why) { keep(refusals_, line, why); }
  /// One for each reason, with the first place where it occurred.
  std::vector<std::string> refusals() const { return in_words(refusals_); }
  std::vector<std::string> guesses() const { return in_words(guesses_); }

  /// Its lines, without a last one that may be cut off: half a number is a different number.
  const std::vector<LogLine>& lines();
  /// The next rows belong to a new launch, which begins on that line.
  void begin_launch(std::size_t line);
  /// The same for a launch that writes several files.
  void begin_launch_of(std::string run_id) {
    run_id_ = std::move(run_id);
    has_run_id_ = true;
  }
  /// A row with the values that all rows of such a tool have in common.
  Record row_of(Transport transport, Workload workload, int ranks) const;
  /// These set a type, a reduction or a kind of memory by the tool's name for it. A name that Ringmark does not know
  /// goes into the table unchanged.
  void set_datatype(Record& row, std::string_view called);
  void set_op(Record& row, std::string_view called);
  void set_memory(Record& row, std::string_view called);
  /// Fills in the values that follow from the time, and adds the row. An ok row becomes wrong if it has wrong elements;
  /// an ok or wrong row becomes failed if it has no time.
  void add(Record& row, std::optional<double> time_us, std::size_t line);
  /// Adds a row that Ringmark measured, as it is.
  void add_own(const Record& row, std::size_t line);

 private:
  struct Remark {
    std::size_t line;  ///< of the first table
    std::string text;
    int tables;
  };
  static void keep(std::vector<Remark>& remarks, std::size_t line, const std::string& text);
  std::vector<std::string> in_words(const std::vector<Remark>& remarks) const;

  Results& results_;
  const std::string& file_;
  std::string_view text_;
  const ReadOptions& options_;
  std::size_t before_ = results_.table.rows();
  std::size_t launches_ = 0;
  std::string run_id_ = file_;
  bool has_run_id_ = false;
  std::vector<LogLine> lines_;
  std::vector<Remark> refusals_, guesses_;
  std::map<std::string, std::string> own_words_;  ///< of the next row, by column
};

}  // namespace ringmark::analysis

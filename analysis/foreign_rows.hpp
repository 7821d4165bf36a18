// Common parts of the readers of other tools' output: lines, words and numbers, and how a figure becomes a row.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "analysis/read_results.hpp"
#include "base/operation.hpp"
#include "results/record.hpp"

namespace ringmark::analysis {

using Words = std::vector<std::string_view>;

struct ForeignLine {
  std::string_view text;
  std::size_t number;  ///< from 1
};

/// Separated by blanks.
Words words_of(std::string_view line);

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

/// The collective that a name contains, the longest if there are several: "reduce_scatter" is no "reduce".
std::optional<Collective> collective_in(std::string_view text);
/// The collective of exactly that name: "Allgatherv" is none of ours.
std::optional<Collective> collective_called(std::string_view word);

/// The rows of one file.
class ForeignRows {
 public:
  ForeignRows(Results& results, const std::string& file, std::string_view text)
      : results_(results), file_(file), text_(text) {}

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  std::size_t size() const { return results_.table.rows() - before_; }
  void note(const std::string& text) { results_.notes.push_back(text); }

  /// Its lines, without a last one that may be cut off: half of a number is another number.
  std::vector<ForeignLine> whole_lines();
  /// A row with the values that all rows of such a tool have in common.
  Record row_of(Transport transport, Collective collective, int ranks) const;
  /// The tool's name of a type or a reduction. One that Ringmark does not know stands in the table as the tool has it.
  void set_datatype(Record& row, std::string_view called);
  void set_op(Record& row, std::string_view called);
  /// Fills in the figures that follow from the time; without one the row failed.
  void add(Record& row, std::optional<double> time_us, std::size_t line);

 private:
  Results& results_;
  const std::string& file_;
  std::string_view text_;
  std::size_t before_ = results_.table.rows();
  std::map<std::string, std::string> own_words_;  ///< of the next row, by column
};

}  // namespace ringmark::analysis

// Results of any number of files, stored by column: a million rows fit in the memory of a laptop, and every row records
// where it came from.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark::analysis {

/// A column of text, encoded as ids into a dictionary.
class TextColumn {
 public:
  TextColumn() = default;
  TextColumn(TextColumn&&) = default;
  TextColumn& operator=(TextColumn&&) = default;

  void push(std::string_view text);
  /// Fills up with empty cells.
  void resize(std::size_t rows);
  std::size_t size() const { return ids_.size(); }
  std::uint32_t id(std::size_t row) const { return ids_[row]; }
  const std::string& operator[](std::size_t row) const { return values_[ids_[row]]; }
  const std::deque<std::string>& values() const { return values_; }

 private:
  std::uint32_t id_of(std::string_view text);

  std::vector<std::uint32_t> ids_;
  std::deque<std::string> values_;  ///< never moved, since `known_` refers to them
  std::unordered_map<std::string_view, std::uint32_t> known_;
  std::string_view last_;
  std::uint32_t last_id_ = 0;
};

/// A missing number is NaN here, and nowhere else.
using NumberColumn = std::vector<double>;

/// A column's values as small numbers, whatever its type.
struct Categories {
  std::vector<std::uint32_t> ids;   ///< one for each row
  std::vector<std::string> values;  ///< one for each id
};

class Table {
 public:
  Table();

  std::size_t rows() const { return lines_.size(); }
  /// Contract columns that hold text, swept variables, the keys of `settings`, and `file`.
  const TextColumn& text(const std::string& column) const;
  /// Contract columns that hold numbers.
  const NumberColumn& number(const std::string& column) const;
  bool has(const std::string& column) const { return texts_.contains(column) || numbers_.contains(column); }
  /// Swept variables and the keys of `settings`.
  std::vector<std::string> extra_columns() const;
  std::string cell(std::size_t row, const std::string& column) const;
  Categories categories(const std::string& column) const;
  std::optional<double> figure(std::size_t row, const std::string& column) const;
  bool is(Schema schema, std::size_t row) const { return text("schema")[row] == name(schema); }
  /// "results.csv:12", for messages.
  std::string where(std::size_t row) const;
  /// The line that the row was added with.
  std::size_t line(std::size_t row) const { return lines_[row]; }

  /// For readers: the column to append cells to. A new one has empty cells for the rows so far.
  TextColumn& text_to_fill(const std::string& column);
  NumberColumn& number_to_fill(const std::string& column);
  bool is_number(const std::string& column) const { return numbers_.contains(column); }
  /// The column's default in the sweep that measured it; null if none is known.
  const std::string* default_of(const std::string& column) const;
  /// Conflicting defaults clear the default.
  void set_default(const std::string& column, const std::string& value);
  bool has_defaults() const { return !defaults_.empty(); }

  /// Replaces or adds a column; `cells` has one cell for each row.
  void set_text(const std::string& column, const std::vector<std::string>& cells);
  /// The value of the column `file` for the next rows, if several files form one side; empty for the file's own name.
  void set_side(const std::string& side) { side_ = side; }
  /// Ends a row.
  void finish_row(std::string_view file, std::size_t line);
  /// Ends a file: columns that are short get empty cells.
  void finish_file();
  /// `words` replaces cells of text, by column: another tool's name for a type or reduction that Ringmark does not
  /// know.
  void add(const Record& record, std::string_view file, std::size_t line,
           const std::map<std::string, std::string>& words = {});
  /// Drops all other rows.
  void keep(const std::vector<std::size_t>& rows);

 private:
  std::map<std::string, TextColumn> texts_;
  std::map<std::string, NumberColumn> numbers_;
  std::vector<std::uint32_t> lines_;
  TextColumn sources_;  ///< the file of each row; differs from the column `file` if several files form one side
  std::string side_;
  std::map<std::string, std::optional<std::string>> defaults_;  ///< nothing where they conflict
};

}  // namespace ringmark::analysis

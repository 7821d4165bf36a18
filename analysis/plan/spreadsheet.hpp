// A spreadsheet being written: libxlsxwriter's calls with the ownership, types and errors of C++.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <xlsxwriter.h>

namespace ringmark::analysis {

enum class Style {
  plain,
  heading,
  number_heading,    ///< above a column of numbers
  indented,          ///< words next to a column of numbers
  indented_heading,  ///< above such words
  bold,
  input,  ///< of cells that a reader may change
  day_input,
  figure,
  whole,
  tenth,
  hundredth,
  percent
};

class Spreadsheet;

/// A handle; rows and columns count from 0.
class Sheet {
 public:
  Sheet(Spreadsheet& book, lxw_worksheet* sheet) : book_(&book), sheet_(sheet) {}

  void text(std::size_t row, std::size_t column, const std::string& words, Style style = Style::plain) const;
  void number(std::size_t row, std::size_t column, double value, Style style) const;
  /// `value` is its current value; nothing means an empty text.
  void formula(std::size_t row, std::size_t column, const std::string& words, const std::optional<double>& value,
               Style style) const;
  /// `now` is its current text.
  void formula_text(std::size_t row, std::size_t column, const std::string& words, const std::string& now,
                    Style style = Style::plain) const;
  /// Offers a choice among texts.
  void offer(std::size_t row, std::size_t column, const std::vector<std::string>& texts) const;
  void set_width(std::size_t first_column, std::size_t last_column, double characters) const;
  /// Its formulas still work, but it is neither shown nor printed.
  void hide_column(std::size_t column) const;
  /// Makes room for two or more lines, as titles of narrow columns need.
  void make_high(std::size_t row, int lines = 2) const;
  /// `height` times as high as usual.
  void insert_chart(std::size_t row, std::size_t column, lxw_chart* chart, double height = 1) const;

  Spreadsheet& book() const { return *book_; }
  /// For the library's other calls.
  lxw_worksheet* raw() const { return sheet_; }

 private:
  Spreadsheet* book_;
  lxw_worksheet* sheet_;
};

/// Throws std::runtime_error with the file's name if something cannot be written.
class Spreadsheet {
 public:
  explicit Spreadsheet(const std::string& path);
  ~Spreadsheet();
  Spreadsheet(const Spreadsheet&) = delete;
  Spreadsheet& operator=(const Spreadsheet&) = delete;

  /// Prints landscape, as wide as a page.
  Sheet sheet(const char* name);
  /// For formulas that other sheets refer to; neither shown nor printed.
  Sheet hidden_sheet(const char* name);
  lxw_chart* line_chart();
  lxw_chart* bar_chart();
  /// "=Assumptions!$B$3", under the name.
  void define_name(const std::string& name, const std::string& cell);
  /// Writes the file; nothing can follow.
  void close();

  lxw_format* format(Style style) const { return formats_[static_cast<std::size_t>(style)]; }

 private:
  std::string path_;
  lxw_workbook* book_;
  std::vector<lxw_format*> formats_;  ///< by Style
};

}  // namespace ringmark::analysis

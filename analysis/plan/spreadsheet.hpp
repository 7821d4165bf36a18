// A spreadsheet under way: libxlsxwriter's calls with owners, sizes and errors of C++.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <xlsxwriter.h>

namespace ringmark::analysis {

/// Rows and columns count from 0. Throws std::runtime_error with the file's name where something cannot be written.
class Spreadsheet {
 public:
  explicit Spreadsheet(const std::string& path);
  ~Spreadsheet();
  Spreadsheet(const Spreadsheet&) = delete;
  Spreadsheet& operator=(const Spreadsheet&) = delete;

  /// Prints landscape, as wide as a page.
  lxw_worksheet* sheet(const char* name);
  /// Holds formulas that other sheets show; it is not seen or printed.
  lxw_worksheet* hidden_sheet(const char* name);
  lxw_chart* line_chart();
  lxw_chart* bar_chart();
  /// "=Assumptions!$B$3", under the name.
  void define_name(const std::string& name, const std::string& cell);
  /// Writes the file; nothing can follow.
  void close();

  static void text(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                   lxw_format* format = nullptr);
  static void number(lxw_worksheet* where, std::size_t row, std::size_t column, double value, lxw_format* format);
  /// With the value that it has now; nothing is an empty text.
  static void formula(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                      const std::optional<double>& value, lxw_format* format);
  /// With the text that it has now.
  static void formula_text(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                           const std::string& now, lxw_format* format = nullptr);
  /// Offers a choice among texts.
  static void offer(lxw_worksheet* where, std::size_t row, std::size_t column, const std::vector<std::string>& texts);
  static void set_width(lxw_worksheet* where, std::size_t first_column, std::size_t last_column, double characters);
  /// Its formulas hold; it is not seen or printed.
  static void hide_column(lxw_worksheet* where, std::size_t column);
  /// Room for two lines or more, as the titles of narrow columns take.
  static void make_high(lxw_worksheet* where, std::size_t row, int lines = 2);
  /// `height` times as high as usual.
  static void insert_chart(lxw_worksheet* where, std::size_t row, std::size_t column, lxw_chart* chart,
                           double height = 1);

  lxw_format* heading() const { return heading_; }
  lxw_format* number_heading() const { return number_heading_; }  ///< above a column of numbers
  lxw_format* indented() const { return indented_; }              ///< of words beside a column of numbers
  lxw_format* indented_heading() const { return indented_heading_; }
  lxw_format* bold() const { return bold_; }
  lxw_format* input() const { return input_; }  ///< of cells that a reader may change
  lxw_format* day_input() const { return day_input_; }
  lxw_format* figure() const { return figure_; }
  lxw_format* whole() const { return whole_; }
  lxw_format* tenth() const { return tenth_; }
  lxw_format* hundredth() const { return hundredth_; }
  lxw_format* percent() const { return percent_; }

 private:
  std::string path_;
  lxw_workbook* book_;
  lxw_format *heading_ = nullptr, *number_heading_ = nullptr, *bold_ = nullptr, *indented_ = nullptr,
             *indented_heading_ = nullptr, *input_ = nullptr, *day_input_ = nullptr, *figure_ = nullptr,
             *whole_ = nullptr, *tenth_ = nullptr, *hundredth_ = nullptr, *percent_ = nullptr;
};

}  // namespace ringmark::analysis

// A spreadsheet under way: libxlsxwriter's calls with owners, sizes and errors of C++.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <xlsxwriter.h>

namespace ringmark::analysis {

/// Rows and columns count from 0. Throws std::runtime_error with the file's name where something cannot be written.
class Spreadsheet {
 public:
  explicit Spreadsheet(const std::string& path);
  ~Spreadsheet();
  Spreadsheet(const Spreadsheet&) = delete;
  Spreadsheet& operator=(const Spreadsheet&) = delete;

  lxw_worksheet* sheet(const char* name);
  lxw_chart* line_chart();
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
  static void set_width(lxw_worksheet* where, std::size_t first_column, std::size_t last_column, double characters);
  static void insert_chart(lxw_worksheet* where, std::size_t row, std::size_t column, lxw_chart* chart);

  lxw_format* heading() const { return heading_; }
  lxw_format* bold() const { return bold_; }
  lxw_format* input() const { return input_; }  ///< of cells that a reader may change
  lxw_format* figure() const { return figure_; }
  lxw_format* whole() const { return whole_; }

 private:
  std::string path_;
  lxw_workbook* book_;
  lxw_format *heading_ = nullptr, *bold_ = nullptr, *input_ = nullptr, *figure_ = nullptr, *whole_ = nullptr;
};

}  // namespace ringmark::analysis

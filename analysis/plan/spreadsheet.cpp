#include "analysis/plan/spreadsheet.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

lxw_row_t row_of(std::size_t index) { return static_cast<lxw_row_t>(index); }
lxw_col_t column_of(std::size_t index) { return static_cast<lxw_col_t>(index); }

}  // namespace

Spreadsheet::Spreadsheet(const std::string& path) : path_(path) {
  lxw_workbook_options options{};
  book_ = workbook_new_opt(path.c_str(), &options);
  if (book_ == nullptr) throw std::runtime_error(fmt::format("cannot write {}", path));
  const auto make = [&] { return workbook_add_format(book_); };
  heading_ = make();
  format_set_bold(heading_);
  format_set_text_wrap(heading_);
  format_set_bottom(heading_, LXW_BORDER_THIN);
  bold_ = make();
  format_set_bold(bold_);
  input_ = make();
  format_set_bg_color(input_, 0xFFF4CC);
  format_set_border(input_, LXW_BORDER_THIN);
  format_set_num_format(input_, "#,##0.####");
  figure_ = make();
  format_set_num_format(figure_, "#,##0.####");
  whole_ = make();
  format_set_num_format(whole_, "#,##0");
}

Spreadsheet::~Spreadsheet() {
  if (book_ != nullptr) lxw_workbook_free(book_);
}

lxw_worksheet* Spreadsheet::sheet(const char* name) {
  auto* made = workbook_add_worksheet(book_, name);
  if (made == nullptr) throw std::runtime_error(fmt::format("{}: cannot make the sheet {}", path_, name));
  return made;
}

lxw_chart* Spreadsheet::line_chart() { return workbook_add_chart(book_, LXW_CHART_LINE); }

void Spreadsheet::define_name(const std::string& name, const std::string& cell) {
  if (workbook_define_name(book_, name.c_str(), cell.c_str()) != LXW_NO_ERROR)
    throw std::runtime_error(fmt::format("{}: cannot name a cell {}", path_, name));
}

void Spreadsheet::close() {
  if (const auto error = workbook_close(std::exchange(book_, nullptr)); error != LXW_NO_ERROR)
    throw std::runtime_error(fmt::format("cannot write {}: {}", path_, lxw_strerror(error)));
}

void Spreadsheet::text(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                       lxw_format* format) {
  worksheet_write_string(where, row_of(row), column_of(column), words.c_str(), format);
}

void Spreadsheet::number(lxw_worksheet* where, std::size_t row, std::size_t column, double value, lxw_format* format) {
  worksheet_write_number(where, row_of(row), column_of(column), value, format);
}

void Spreadsheet::formula(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                          const std::optional<double>& value, lxw_format* format) {
  if (value) {
    worksheet_write_formula_num(where, row_of(row), column_of(column), words.c_str(), format, *value);
  } else {
    worksheet_write_formula_str(where, row_of(row), column_of(column), words.c_str(), format, "");
  }
}

void Spreadsheet::set_width(lxw_worksheet* where, std::size_t first_column, std::size_t last_column,
                            double characters) {
  worksheet_set_column(where, column_of(first_column), column_of(last_column), characters, nullptr);
}

void Spreadsheet::insert_chart(lxw_worksheet* where, std::size_t row, std::size_t column, lxw_chart* chart) {
  worksheet_insert_chart(where, row_of(row), column_of(column), chart);
}

}  // namespace ringmark::analysis

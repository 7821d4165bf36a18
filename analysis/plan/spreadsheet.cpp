#include "analysis/plan/spreadsheet.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

/// The number of bytes of the text's first character; 0 if it is not UTF-8, or not allowed in XML.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned code = first & (0x7FU >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80) return 0;
    code = code << 6U | (byte(at) & 0x3FU);
  }
  constexpr unsigned least[]{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000, is_no_character = code == 0xFFFE || code == 0xFFFF;
  return code < least[length] || code > 0x10FFFF || is_surrogate || is_no_character ? 0 : length;
}

/// The text as XML allows it: control characters and bytes that are not UTF-8 become U+FFFD, and it is cut to the size
/// of a cell.
std::string as_cell_text(std::string_view text) {
  constexpr std::size_t most_bytes = 32'000;
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string result;
  for (std::size_t at = 0; at < text.size() && result.size() < most_bytes;) {
    const auto length = utf8_length(text.substr(at));
    const auto first = static_cast<unsigned char>(text[at]);
    const bool is_control = (first < ' ' && first != '\n' && first != '\t') || first == 0x7F;
    result += length == 0 || is_control ? replacement : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

lxw_row_t row_of(std::size_t index) { return static_cast<lxw_row_t>(index); }
lxw_col_t column_of(std::size_t index) { return static_cast<lxw_col_t>(index); }

/// Excel refuses a whole workbook with a longer formula.
const char* checked(const std::string& formula) {
  constexpr std::size_t longest = 8192;
  if (formula.size() > longest)
    throw std::length_error(fmt::format("a formula of {} characters is too long for Excel", formula.size()));
  return formula.c_str();
}

struct Look {
  Style style;
  const char* number = nullptr;
  bool is_bold = false, is_heading = false, wraps = false, is_right = false, is_indented = false, is_input = false;
};
/// By Style.
constexpr Look looks[]{
    {.style = Style::plain},
    {.style = Style::heading, .is_bold = true, .is_heading = true, .wraps = true},
    {.style = Style::number_heading, .is_bold = true, .is_heading = true, .wraps = true, .is_right = true},
    {.style = Style::indented, .is_indented = true},
    {.style = Style::indented_heading, .is_bold = true, .is_heading = true, .is_indented = true},
    {.style = Style::bold, .is_bold = true},
    {.style = Style::input, .number = "#,##0.####", .is_input = true},
    {.style = Style::day_input, .number = "yyyy-mm-dd", .is_input = true},
    {.style = Style::figure, .number = "#,##0.####"},
    {.style = Style::whole, .number = "#,##0"},
    {.style = Style::tenth, .number = "#,##0.0"},
    {.style = Style::hundredth, .number = "#,##0.00"},
    {.style = Style::percent, .number = "0 %"}};

}  // namespace

Spreadsheet::Spreadsheet(const std::string& path) : path_(path) {
  lxw_workbook_options options{};
  book_ = workbook_new_opt(path.c_str(), &options);
  if (book_ == nullptr) throw std::runtime_error(fmt::format("cannot write {}", path));
  for (const auto& look : looks) {
    auto* format = look.style == Style::plain ? nullptr : workbook_add_format(book_);
    formats_.push_back(format);
    if (look.is_bold) format_set_bold(format);
    if (look.wraps) format_set_text_wrap(format);
    if (look.is_heading) format_set_bottom(format, LXW_BORDER_THIN);
    if (look.is_right) format_set_align(format, LXW_ALIGN_RIGHT);
    if (look.is_indented) format_set_indent(format, 1);
    if (look.is_input) format_set_bg_color(format, 0xFFF4CC);
    if (look.is_input) format_set_border(format, LXW_BORDER_THIN);
    if (look.number != nullptr) format_set_num_format(format, look.number);
  }
}

Spreadsheet::~Spreadsheet() {
  if (book_ != nullptr) lxw_workbook_free(book_);
}

Sheet Spreadsheet::sheet(const char* name) {
  auto* made = workbook_add_worksheet(book_, name);
  if (made == nullptr) throw std::runtime_error(fmt::format("{}: cannot create the sheet {}", path_, name));
  constexpr int a4 = 9;
  worksheet_set_landscape(made);
  worksheet_set_paper(made, a4);
  worksheet_fit_to_pages(made, 1, 0);
  worksheet_set_footer(made, "&L&F&C&A&R&P / &N");
  return {*this, made};
}

Sheet Spreadsheet::hidden_sheet(const char* name) {
  const auto made = sheet(name);
  worksheet_hide(made.raw());
  return made;
}

lxw_chart* Spreadsheet::bar_chart() { return workbook_add_chart(book_, LXW_CHART_BAR); }
lxw_chart* Spreadsheet::line_chart() { return workbook_add_chart(book_, LXW_CHART_LINE); }

void Spreadsheet::define_name(const std::string& name, const std::string& cell) {
  if (workbook_define_name(book_, name.c_str(), cell.c_str()) != LXW_NO_ERROR)
    throw std::runtime_error(fmt::format("{}: cannot name a cell {}", path_, name));
}

void Spreadsheet::close() {
  if (workbook_close(std::exchange(book_, nullptr)) != LXW_NO_ERROR)
    throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", path_));
}

void Sheet::text(std::size_t row, std::size_t column, const std::string& words, Style style) const {
  worksheet_write_string(sheet_, row_of(row), column_of(column), as_cell_text(words).c_str(), book_->format(style));
}

void Sheet::number(std::size_t row, std::size_t column, double value, Style style) const {
  worksheet_write_number(sheet_, row_of(row), column_of(column), value, book_->format(style));
}

void Sheet::formula_text(std::size_t row, std::size_t column, const std::string& words, const std::string& now,
                         Style style) const {
  worksheet_write_formula_str(sheet_, row_of(row), column_of(column), checked(words), book_->format(style),
                              now.c_str());
}

void Sheet::offer(std::size_t row, std::size_t column, const std::vector<std::string>& texts) const {
  auto words = texts;  // before libxlsxwriter 1.2, its list is not const
  std::vector<std::remove_pointer_t<decltype(lxw_data_validation::value_list)>> list;
  for (auto& text : words) list.push_back(text.data());
  list.push_back(nullptr);
  lxw_data_validation rule{};
  rule.validate = LXW_VALIDATION_TYPE_LIST;
  rule.value_list = list.data();
  worksheet_data_validation_cell(sheet_, row_of(row), column_of(column), &rule);
}

void Sheet::formula(std::size_t row, std::size_t column, const std::string& words, const std::optional<double>& value,
                    Style style) const {
  if (value && std::isfinite(*value)) {
    worksheet_write_formula_num(sheet_, row_of(row), column_of(column), checked(words), book_->format(style), *value);
  } else {
    worksheet_write_formula_str(sheet_, row_of(row), column_of(column), checked(words), book_->format(style), "");
  }
}

void Sheet::set_width(std::size_t first_column, std::size_t last_column, double characters) const {
  worksheet_set_column(sheet_, column_of(first_column), column_of(last_column), characters, nullptr);
}

void Sheet::hide_column(std::size_t column) const {
  lxw_row_col_options options{};
  options.hidden = LXW_TRUE;
  worksheet_set_column_opt(sheet_, column_of(column), column_of(column), LXW_DEF_COL_WIDTH, nullptr, &options);
}

void Sheet::make_high(std::size_t row, int lines) const {
  constexpr double line_points = 15;
  worksheet_set_row(sheet_, row_of(row), lines * line_points, nullptr);
}

void Sheet::insert_chart(std::size_t row, std::size_t column, lxw_chart* chart, double height) const {
  lxw_chart_options options{};
  options.x_scale = 1;
  options.y_scale = height;
  worksheet_insert_chart_opt(sheet_, row_of(row), column_of(column), chart, &options);
}

}  // namespace ringmark::analysis

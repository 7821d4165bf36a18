#include "results/files/csv.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace ringmark {

namespace {

/// Where a cell begins after its guarding apostrophes.
std::size_t guarded_begin(std::string_view cell) { return std::min(cell.find_first_not_of('\''), cell.size()); }

/// True if a spreadsheet would run the text after the apostrophes as a formula. A sign on its own is harmless.
bool begins_a_formula(std::string_view cell) {
  return cell.size() > 1 && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos;
}

bool reads_as_figure(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size();
}

/// An apostrophe keeps a spreadsheet from running text as a formula. Text that begins with apostrophes gets one more.
bool needs_guard(std::string_view cell) {
  return begins_a_formula(cell.substr(guarded_begin(cell))) && !reads_as_figure(cell);
}

std::string_view without_guard(std::string_view cell) {
  if (cell.starts_with('\'') && begins_a_formula(cell.substr(guarded_begin(cell)))) cell.remove_prefix(1);
  return cell;
}

}  // namespace

std::string write_csv(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    // A single empty cell would be an empty line, which readers skip.
    const bool quote = row[i].find_first_of(",\"\r\n") != std::string::npos || (row.size() == 1 && row[i].empty());
    const std::string_view guard = needs_guard(row[i]) ? "'" : "";
    if (!quote) {
      line += guard;
      line += row[i];
      continue;
    }
    line += '"';
    line += guard;
    for (const char c : row[i]) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + "\n";
}

void CsvScanner::skip_line_end() {
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++line_;
}

std::string_view CsvScanner::quoted_cell() {
  const std::size_t opened = line_, begin = ++at_;
  std::string* copy = nullptr;  // needed from the first doubled quote on
  for (;; ++at_) {
    if (at_ == text_.size()) throw CsvError(fmt::format("line {}: a quoted cell is not closed", opened));
    if (text_[at_] == '"') {
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
      if (copy == nullptr) {
        if (unquoted_used_ == unquoted_.size()) unquoted_.emplace_back();
        copy = &(unquoted_[unquoted_used_++] = text_.substr(begin, at_ - begin));
      }
      ++at_;
    }
    line_ += text_[at_] == '\n';
    if (copy != nullptr) *copy += text_[at_];
  }
  const auto cell = copy != nullptr ? std::string_view(*copy) : text_.substr(begin, at_ - begin);
  ++at_;
  if (at_ < text_.size() && text_[at_] != ',' && !is_line_end()) {
    throw CsvError(fmt::format("line {}: text after a closing quote", line_));
  }
  return cell;
}

bool CsvScanner::next(std::vector<std::string_view>& row) {
  row.clear();
  unquoted_used_ = 0;
  while (at_ < text_.size() && is_line_end()) skip_line_end();
  if (at_ == text_.size()) return false;
  row_line_ = line_;
  row_begin_ = at_;
  for (;; ++at_) {
    if (at_ < text_.size() && text_[at_] == '"') {
      row.push_back(without_guard(quoted_cell()));
    } else {
      const std::size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != ',' && !is_line_end()) ++at_;
      row.push_back(without_guard(text_.substr(begin, at_ - begin)));
    }
    if (at_ == text_.size() || text_[at_] != ',') break;
  }
  finished_ = at_ < text_.size();
  if (finished_) skip_line_end();
  return true;
}

std::vector<CsvRow> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvScanner scanner(text);
  for (std::vector<std::string_view> row; scanner.next(row);) rows.emplace_back(row.begin(), row.end());
  return rows;
}

}  // namespace ringmark

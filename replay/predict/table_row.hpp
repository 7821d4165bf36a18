// A row of a table of measured steps, with cells looked up by column name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/problem.hpp"
#include "results/files/csv.hpp"

namespace ringmark::replay {

class TableRow {
 public:
  /// `file` must outlive the row.
  TableRow(const std::string& file, std::size_t line, const CsvRow& header, const CsvRow& cells)
      : file_(file), line_(line) {
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) cells_[header[i]] = cells[i];
  }

  std::string text(const std::string& column) const {
    const auto found = cells_.find(column);
    return found == cells_.end() ? "" : found->second;
  }

  [[noreturn]] void refuse(const std::string& column, const std::string& expected) const {
    throw BadUsage(Problem{
        .flag = column, .value = text(column), .text = expected, .place = Place{file_, static_cast<int>(line_)}});
  }

  template <class Number>
  Number number(const std::string& column, Number least, Number most,
                std::type_identity_t<std::optional<Number>> usual = {}) const {
    const auto cell = text(column);
    if (cell.empty() && usual) return *usual;
    Number value{};
    if (!read_number(cell, least, most, value))
      refuse(column, fmt::format("expected a number from {} to {}", least, most));
    return value;
  }
  std::uint64_t count(const std::string& column, std::optional<std::uint64_t> usual = {}) const {
    return number<std::uint64_t>(column, 1, std::uint64_t{1} << 40, usual);
  }
  bool truth(const std::string& column, bool usual) const { return number<int>(column, 0, 1, usual ? 1 : 0) == 1; }

 private:
  const std::string& file_;
  std::size_t line_;
  std::map<std::string, std::string> cells_;
};

}  // namespace ringmark::replay

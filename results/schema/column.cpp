#include "results/schema/column.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "results/files/csv.hpp"

namespace ringmark {

double number_in(const Column& column, std::string_view cell) {
  constexpr std::size_t shown = 40;
  double value{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    throw CsvError(fmt::format("'{}' is not a number", cell.substr(0, shown)));
  if (column.most && !(value >= 0 && value <= *column.most && value == std::floor(value)))
    throw CsvError(fmt::format("'{}' is not a whole number from 0 to {:.0f}", cell.substr(0, shown), *column.most));
  return value;
}

void check_cell(const Column& column, std::string_view cell) {
  if (column.type == ColumnType::number && !cell.empty()) {
    number_in(column, cell);
  } else {
    Record scratch;
    column.read(cell, scratch);
  }
}

}  // namespace ringmark

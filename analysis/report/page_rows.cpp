#include "analysis/report/page_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "analysis/report/page_json.hpp"
#include "analysis/table/column_roles.hpp"
#include "results/files/result_file.hpp"

namespace ringmark::analysis {

std::vector<std::string> shown_columns(const Table& table) {
  auto columns = record_header();
  std::erase(columns, "settings");
  for (const auto& extra : table.extra_columns()) {
    if (extra != configuration_column) columns.push_back(extra);
  }
  std::erase_if(columns, [&](const std::string& name) {
    if (!table.is_number(name)) return table.text(name).values().size() == 1 && table.text(name).values()[0].empty();
    const auto& cells = table.number(name);
    return std::all_of(cells.begin(), cells.end(), [](double value) { return std::isnan(value); });
  });
  return columns;
}

void write_rows(const Table& table, const std::vector<std::string>& columns, const TextSink& sink, std::string& to) {
  constexpr std::size_t enough = std::size_t{1} << 20U;
  struct Column {
    const NumberColumn* number;
    const TextColumn* text;
    std::uint32_t last_id = UINT32_MAX;
    std::string last{};  ///< as JSON: most cells repeat the one above
  };
  std::vector<Column> cells;
  for (const auto& name : columns) {
    const bool is_number = table.is_number(name);
    cells.push_back({is_number ? &table.number(name) : nullptr, is_number ? nullptr : &table.text(name)});
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (to.size() > enough) sink(to), to.clear();
    to += row == 0 ? "[" : ",[";
    for (auto& column : cells) {
      if (&column != &cells.front()) to += ',';
      if (column.number != nullptr) {
        const double value = (*column.number)[row];
        if (std::isfinite(value)) {
          fmt::format_to(std::back_inserter(to), "{}", value);
        } else {
          to += "null";
        }
      } else {
        if (column.text->id(row) != column.last_id) {
          column.last_id = column.text->id(row);
          column.last = as_script((*column.text)[row]);
        }
        to += column.last;
      }
    }
    to += ']';
  }
}

}  // namespace ringmark::analysis

#include "analysis/history/selected_series.hpp"

#include <utility>

#include "analysis/table/where.hpp"

namespace ringmark::analysis {

std::vector<history::Series> selected_series(std::vector<history::Series> all, const std::vector<std::string>& where) {
  if (where.empty()) return all;
  Table table;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto record = all[i].row.record;
    for (const auto& [variable, value] : std::exchange(record.extra, {}))
      record.settings.others.emplace(variable, value);
    table.add(record, "the store", i, all[i].row.words);
  }
  table.finish_file();
  keep_where(table, where);
  std::vector<history::Series> kept;
  for (std::size_t row = 0; row < table.rows(); ++row) kept.push_back(std::move(all[table.line(row)]));
  return kept;
}

}  // namespace ringmark::analysis

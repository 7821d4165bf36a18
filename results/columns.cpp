#include "results/columns.hpp"

#include <algorithm>

#include "results/csv.hpp"

namespace ringmark {
namespace {

const CsvRow& contract() {
  static const CsvRow columns = record_header();
  return columns;
}

}  // namespace

bool is_contract_column(const std::string& name) {
  return std::find(contract().begin(), contract().end(), name) != contract().end();
}

std::optional<std::string> cell_of(const Record& record, const std::string& column) {
  const auto found = std::find(contract().begin(), contract().end(), column);
  if (found != contract().end()) return to_csv(record)[static_cast<std::size_t>(found - contract().begin())];
  const auto extra = record.extra.find(column);
  return extra == record.extra.end() ? std::nullopt : std::optional(extra->second);
}

const std::vector<std::string>& link_columns() {
  static const std::vector<std::string> columns{"src", "dst"};
  return columns;
}

}  // namespace ringmark

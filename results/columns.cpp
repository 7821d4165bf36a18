#include "results/columns.hpp"

#include <algorithm>
#include <array>

#include "base/option.hpp"
#include "results/cells.hpp"
#include "results/csv.hpp"
#include "results/replay_columns.hpp"

namespace ringmark {
namespace {

const CsvRow& contract() {
  static const CsvRow columns = record_header();
  return columns;
}

struct LinkColumn {
  std::string_view name;
  int LinkEnds::*end;
};
constexpr std::array link_columns{LinkColumn{"src", &LinkEnds::source}, LinkColumn{"dst", &LinkEnds::destination}};

const LinkColumn* find_link_column(std::string_view name) {
  const auto* const found =
      std::find_if(link_columns.begin(), link_columns.end(), [&](const auto& each) { return each.name == name; });
  return found == link_columns.end() ? nullptr : found;
}

template <class Columns>
std::vector<std::string> names_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.emplace_back(column.name);
  return names;
}

std::optional<std::string> own_cell(const Record& record, const std::string& column) {
  if (record.schema == Schema::link) {
    if (const auto* found = find_link_column(column)) return record.link ? to_cell((*record.link).*found->end) : "";
  }
  if (record.schema == Schema::replay) {
    if (const auto* found = find_replay_column(column)) return record.step ? found->cell(*record.step) : "";
  }
  return std::nullopt;
}

}  // namespace

bool is_contract_column(const std::string& name) {
  return std::find(contract().begin(), contract().end(), name) != contract().end();
}

const std::vector<std::string>& own_columns(Schema schema) {
  static const auto of_link = names_of(link_columns), of_replay = names_of(replay_columns());
  static const std::vector<std::string> none;
  return schema == Schema::link ? of_link : schema == Schema::replay ? of_replay : none;
}

std::optional<std::string> cell_of(const Record& record, const std::string& column) {
  std::optional<std::string> cell;
  visit_columns(record, [&](std::string_view name, const auto& value) {
    if (name == column) cell = to_cell(value);
  });
  if (cell) return cell;
  const auto extra = record.extra.find(column);
  return extra == record.extra.end() ? own_cell(record, column) : extra->second;
}

std::optional<double> figure_of(const Record& record, const std::string& column) {
  double number = 0;
  const auto cell = cell_of(record, column);
  return cell && read_number(*cell, -1e300, 1e300, number) ? std::optional(number) : std::nullopt;
}

bool read_own_cell(const std::string& column, std::string_view cell, Record& record) {
  if (record.schema == Schema::link) {
    const auto* found = find_link_column(column);
    if (found == nullptr) return false;
    if (cell.empty()) return true;
    if (!record.link) record.link.emplace();
    from_cell(cell, (*record.link).*found->end);
    return true;
  }
  if (record.schema == Schema::replay) {
    const auto* found = find_replay_column(column);
    if (found == nullptr) return false;
    if (cell.empty()) return true;
    if (!record.step) record.step.emplace();
    found->read(cell, *record.step);
    return true;
  }
  return false;
}

}  // namespace ringmark

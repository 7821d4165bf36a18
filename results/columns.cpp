#include "results/columns.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/option.hpp"
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

TypedCell own_value(const Record& record, const std::string& column) {
  if (const auto* of_link = find_link_column(column); of_link != nullptr && record.schema == Schema::link)
    return record.link ? TypedCell(std::int64_t{(*record.link).*of_link->end}) : TypedCell();
  if (const auto* of_step = find_replay_column(column); of_step != nullptr && record.schema == Schema::replay)
    return record.step ? of_step->typed_cell(*record.step) : TypedCell();
  return {};
}

std::optional<double> figure_of(const Record& record, const std::string& column) {
  std::optional<double> figure;
  bool is_found = false;
  visit_columns(record, [&](std::string_view name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if (name != column) return;
    is_found = true;
    if constexpr (std::is_arithmetic_v<Value>) figure = static_cast<double>(value);
    if constexpr (is_figure<Value> && !std::is_arithmetic_v<Value>) {
      if (value) figure = static_cast<double>(*value);
    }
  });
  if (is_found) return figure;
  if (const auto extra = record.extra.find(column); extra != record.extra.end()) {
    double number = 0;
    return read_number(extra->second, -1e300, 1e300, number) ? std::optional(number) : std::nullopt;
  }
  const auto own = own_value(record, column);
  if (const auto* whole = std::get_if<std::int64_t>(&own)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&own)) return *number;
  return std::nullopt;
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

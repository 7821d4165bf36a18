#include "analysis/table/table.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "results/schema/columns.hpp"

namespace ringmark::analysis {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double number_of(const TypedCell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* const number = std::get_if<double>(&value);
  return number == nullptr ? nothing : *number;
}

std::string number_text(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

std::uint32_t TextColumn::id_of(std::string_view text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(values_.size());
  known_.emplace(values_.emplace_back(text), id);
  return id;
}

void TextColumn::push(std::string_view text) {
  if (values_.empty() || text != last_) {
    last_id_ = id_of(text);
    last_ = values_[last_id_];
  }
  ids_.push_back(last_id_);
}

void TextColumn::resize(std::size_t rows) {
  if (ids_.size() >= rows) return;
  const auto empty = id_of("");
  ids_.resize(rows, empty);
}

Table::Table() {
  for (const auto& column : contract_columns()) {
    if (column.type == ColumnType::number) {
      numbers_[std::string(column.name)];
    } else {
      texts_[std::string(column.name)];
    }
  }
  texts_["file"];
}

const TextColumn& Table::text(const std::string& column) const {
  const auto found = texts_.find(column);
  if (found == texts_.end()) throw std::out_of_range("no column of text is called " + column);
  return found->second;
}

const NumberColumn& Table::number(const std::string& column) const {
  const auto found = numbers_.find(column);
  if (found == numbers_.end()) throw std::out_of_range("no column of numbers is called " + column);
  return found->second;
}

std::vector<std::string> Table::extra_columns() const {
  std::vector<std::string> names;
  for (const auto& [name, column] : texts_) {
    if (name != "file" && !is_contract_column(name)) names.push_back(name);
  }
  return names;
}

std::string Table::cell(std::size_t row, const std::string& column) const {
  return is_number(column) ? number_text(number(column)[row]) : text(column)[row];
}

Categories Table::categories(const std::string& column) const {
  Categories result;
  if (!is_number(column)) {
    const auto& cells = text(column);
    for (std::size_t row = 0; row < rows(); ++row) result.ids.push_back(cells.id(row));
    result.values.assign(cells.values().begin(), cells.values().end());
    return result;
  }
  std::unordered_map<double, std::uint32_t> known;
  std::optional<std::uint32_t> empty;
  for (const double value : number(column)) {
    const auto next = static_cast<std::uint32_t>(result.values.size());
    const auto id =
        std::isnan(value) ? empty.emplace(empty.value_or(next)) : known.try_emplace(value, next).first->second;
    if (id == next) result.values.push_back(number_text(value));
    result.ids.push_back(id);
  }
  return result;
}

std::optional<double> Table::figure(std::size_t row, const std::string& column) const {
  const double value = number(column)[row];
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::string Table::where(std::size_t row) const { return fmt::format("{}:{}", sources_[row], lines_[row]); }

TextColumn& Table::text_to_fill(const std::string& column) {
  auto& cells = texts_[column];
  cells.resize(rows());
  return cells;
}

NumberColumn& Table::number_to_fill(const std::string& column) { return numbers_.at(column); }

const std::string* Table::default_of(const std::string& column) const {
  const auto found = defaults_.find(column);
  return found == defaults_.end() || !found->second ? nullptr : &*found->second;
}

void Table::set_default(const std::string& column, const std::string& value) {
  const auto [found, is_new] = defaults_.try_emplace(column, value);
  if (!is_new && found->second != value) found->second.reset();
}

void Table::set_text(const std::string& column, const std::vector<std::string>& cells) {
  TextColumn fresh;
  for (const auto& cell : cells) fresh.push(cell);
  texts_.insert_or_assign(column, std::move(fresh));
}

void Table::finish_row(std::string_view file, std::size_t line) {
  texts_["file"].push(side_.empty() ? file : side_);
  sources_.push(file);
  lines_.push_back(static_cast<std::uint32_t>(line));
}

void Table::finish_file() {
  for (auto& [name, column] : texts_) column.resize(rows());
  for (auto& [name, column] : numbers_) column.resize(rows(), nothing);
}

void Table::add(const Record& record, std::string_view file, std::size_t line,
                const std::map<std::string, std::string>& words) {
  for (const auto& column : contract_columns()) {
    const std::string name(column.name);
    if (column.type == ColumnType::number) {
      numbers_[name].push_back(number_of(column.value(record)));
    } else if (column.type == ColumnType::text) {
      const auto word = words.find(name);
      text_to_fill(name).push(word == words.end() ? column.cell(record) : word->second);
    }
  }
  auto cells = to_map(record.settings);
  if (record.link || record.step) {
    for (const auto& column : own_columns_of(record.schema)) cells[std::string(column.name)] = column.cell(record);
  }
  for (const auto& [name, value] : record.extra) cells[name] = value;
  for (const auto& [name, value] : cells) text_to_fill(name).push(value);
  finish_row(file, line);
  finish_file();
}

void Table::keep(const std::vector<std::size_t>& rows) {
  const auto take_text = [&](TextColumn& column) {
    TextColumn kept;  // a dictionary of the texts that are left
    for (const auto row : rows) kept.push(column[row]);
    column = std::move(kept);
  };
  for (auto& [name, column] : texts_) take_text(column);
  take_text(sources_);
  const auto take = [&](auto& column) {
    std::decay_t<decltype(column)> kept;
    for (const auto row : rows) kept.push_back(column[row]);
    column = std::move(kept);
  };
  for (auto& [name, column] : numbers_) take(column);
  take(lines_);
}

}  // namespace ringmark::analysis

#include "results/files/result_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/schema/earlier_rows.hpp"

namespace ringmark {

CsvRow record_header(const std::vector<std::string>& extra) {
  auto header = contract_header();
  header.insert(header.end(), extra.begin(), extra.end());
  return header;
}

CsvRow to_csv(const Record& record, const std::vector<std::string>& extra) {
  CsvRow row;
  for (const auto& column : contract_columns()) row.push_back(column.cell(record));
  for (const auto& name : extra) row.push_back(cell_of(record, name).value_or(""));
  return row;
}

ResultFile::ResultFile(std::string_view text, std::string name, LackingColumn lacking)
    : text_(text), name_(std::move(name)), lacking_(lacking), scanner_(text) {
  if (!scan()) return;
  header_.assign(cells_.begin(), cells_.end());
  check_header();
  for (const auto& each : header_) columns_.push_back(find_contract_column(each));
  impossible_ = ImpossibleValues(header_);
}

std::string ResultFile::where() const {
  return name_.empty() ? fmt::format("line {}", scanner_.line()) : fmt::format("{}:{}", name_, scanner_.line());
}

void ResultFile::refuse(std::string_view column, std::string_view why) const {
  throw CsvError(fmt::format("{}{} column {}: {}", where(), name_.empty() ? "," : ":", column, why));
}

void ResultFile::check_header() {
  for (const auto& column : contract_columns()) {
    const auto count = std::count(header_.begin(), header_.end(), column.name);
    if (count == 1) continue;
    if (count == 0 && column.since > 1) {
      is_earlier_ = lacking_ == LackingColumn::is_error;
    } else if (count > 1 || lacking_ == LackingColumn::is_error) {
      throw CsvError(fmt::format("{}: {} column {}; the file is from another version, or not from Ringmark", where(),
                                 count == 0 ? "no" : "more than one", column.name));
    }
  }
  for (const auto& each : header_) {
    if (each.empty()) throw CsvError(fmt::format("{}: a column has no name", where()));
    if (std::count(header_.begin(), header_.end(), each) > 1)
      throw CsvError(fmt::format("{}: more than one column is named '{}'", where(), each));
  }
}

bool ResultFile::scan() {
  try {
    return scanner_.next(cells_);
  } catch (const CsvError& error) {
    // An open quote on the very last line means that the line was cut off.
    if (text_.find('\n', scanner_.row_begin()) == std::string_view::npos) {
      cut_off_ = fmt::format("{}: the last line is cut off", where());
      return false;
    }
    throw CsvError(name_.empty() ? error.what() : fmt::format("{}: {}", name_, error.what()));
  }
}

bool ResultFile::next() {
  if (header_.empty() || !scan()) return false;
  if (cells_.size() != header_.size() || !scanner_.is_finished()) {
    const auto cells = fmt::format("{} of {} cells", cells_.size(), header_.size());
    if (scanner_.is_finished()) throw CsvError(fmt::format("{}: {}", where(), cells));
    cut_off_ = fmt::format("{}: the last line is cut off ({})", where(), cells);
    return false;
  }
  check_schema();
  if (const auto found = impossible_.find(schema_, cells_)) refuse(found->column, found->why);
  return true;
}

void ResultFile::check_schema() {
  const auto at = std::find(header_.begin(), header_.end(), "schema");
  const auto text =
      at == header_.end() ? name(Schema::collective) : cells_[static_cast<std::size_t>(at - header_.begin())];
  if (text == schema_text_) return;
  const auto schema = parse_schema(text);
  if (!schema)
    refuse("schema",
           fmt::format("'{}' is not one of the schemas that this version reads: {}", text,
                       fmt::join({name(Schema::collective), name(Schema::link), name(Schema::replay)}, ", ")));
  if (schema == Schema::link) {
    for (const auto& end : own_columns_of(Schema::link)) {
      if (std::find(header_.begin(), header_.end(), end.name) == header_.end())
        refuse("schema", fmt::format("link/1 requires a column {}", end.name));
    }
  }
  schema_ = *schema;
  schema_text_ = text;
}

Record ResultFile::record() const {
  Record record;
  record.schema = schema_;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto* const column = columns_[i] != nullptr ? columns_[i] : find_own_column(schema_, header_[i]);
    if (column == nullptr) {
      record.extra.emplace(header_[i], cells_[i]);
      continue;
    }
    try {
      if (column->type == ColumnType::number && !cells_[i].empty()) number_in(*column, cells_[i]);
      column->read(cells_[i], record);
    } catch (const CsvError& error) {
      refuse(header_[i], error.what());
    }
  }
  if (is_earlier_) complete_earlier(record);
  return record;
}

std::vector<Record> read_records(std::string_view text, LackingColumn lacking) {
  ResultFile file(text, {}, lacking);
  std::vector<Record> records;
  while (file.next()) records.push_back(file.record());
  if (!file.cut_off().empty()) throw CsvError(file.cut_off());
  return records;
}

}  // namespace ringmark

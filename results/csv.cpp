#include "results/csv.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ringmark {
namespace {

std::string to_cell(const std::string& text) { return text; }
std::string to_cell(int value) { return std::to_string(value); }
std::string to_cell(std::uint64_t value) { return std::to_string(value); }
// Six digits are beyond what any clock or network repeats.
std::string to_cell(double value) { return fmt::format("{:.6g}", value); }
template <class T>
std::string to_cell(const std::optional<T>& value) {
  return value ? to_cell(*value) : "";
}
std::string to_cell(const std::map<std::string, std::string>& settings) {
  return nlohmann::json(settings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Number>
void number_from_cell(const std::string& cell, Number& to) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), to);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw CsvError(fmt::format("'{}' is not a number", cell));
}
void from_cell(const std::string& cell, std::string& to) { to = cell; }
void from_cell(const std::string& cell, int& to) { number_from_cell(cell, to); }
void from_cell(const std::string& cell, std::uint64_t& to) { number_from_cell(cell, to); }
template <class T>
void from_cell(const std::string& cell, std::optional<T>& to) {
  if (!cell.empty()) number_from_cell(cell, to.emplace());
}
void from_cell(const std::string& cell, std::map<std::string, std::string>& to) {
  try {
    to = nlohmann::json::parse(cell).get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw CsvError(fmt::format("'{}' is not a JSON object with string values", cell));
  }
}

}  // namespace

std::string write_csv(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    // A lone empty cell would be an empty line, which readers skip.
    const bool quote = row[i].find_first_of(",\"\r\n") != std::string::npos || (row.size() == 1 && row[i].empty());
    if (!quote) {
      line += row[i];
      continue;
    }
    line += '"';
    for (const char c : row[i]) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + "\n";
}

std::vector<CsvRow> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  std::size_t at = 0;
  std::size_t line = 1;
  const auto is_line_end = [&] {
    return text[at] == '\n' || (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n');
  };
  while (at < text.size()) {
    if (is_line_end()) {  // an empty line is no row
      at += text[at] == '\r' ? 2 : 1;
      ++line;
      continue;
    }
    CsvRow row;
    for (;;) {
      std::string cell;
      if (at < text.size() && text[at] == '"') {
        const std::size_t opened = line;
        for (++at;; ++at) {
          if (at == text.size()) throw CsvError(fmt::format("line {}: a quote is not closed", opened));
          if (text[at] == '"') {
            if (at + 1 == text.size() || text[at + 1] != '"') break;
            ++at;
          }
          line += text[at] == '\n';
          cell += text[at];
        }
        ++at;
        if (at < text.size() && text[at] != ',' && !is_line_end()) {
          throw CsvError(fmt::format("line {}: text after a closing quote", line));
        }
      } else {
        while (at < text.size() && text[at] != ',' && !is_line_end()) cell += text[at++];
      }
      row.push_back(std::move(cell));
      if (at == text.size() || text[at] != ',') break;
      ++at;
    }
    rows.push_back(std::move(row));
    if (at < text.size()) {
      at += text[at] == '\r' ? 2 : 1;
      ++line;
    }
  }
  return rows;
}

CsvRow record_header(const std::vector<std::string>& extra) {
  CsvRow header;
  const Record record;
  visit_columns(record, [&](const char* name, const auto&) { header.emplace_back(name); });
  header.insert(header.end(), extra.begin(), extra.end());
  return header;
}

CsvRow to_csv(const Record& record, const std::vector<std::string>& extra) {
  CsvRow row;
  visit_columns(record, [&](const char*, const auto& value) { row.push_back(to_cell(value)); });
  for (const auto& name : extra) {
    const auto found = record.extra.find(name);
    row.push_back(found == record.extra.end() ? "" : found->second);
  }
  return row;
}

Record from_csv(const CsvRow& header, const CsvRow& row, std::size_t line) {
  if (row.size() != header.size()) {
    throw CsvError(fmt::format("line {}: {} cells where the header has {}", line, row.size(), header.size()));
  }
  Record record;
  visit_columns(record, [&](const char* name, auto& value) {
    const auto column = std::find(header.begin(), header.end(), name);
    if (column == header.end()) throw CsvError(fmt::format("line {}: there is no column {}", line, name));
    try {
      from_cell(row[static_cast<std::size_t>(column - header.begin())], value);
    } catch (const CsvError& error) {
      throw CsvError(fmt::format("line {}, column {}: {}", line, name, error.what()));
    }
  });
  const auto known = record_header();
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(known.begin(), known.end(), header[i]) == known.end()) record.extra.emplace(header[i], row[i]);
  }
  return record;
}

}  // namespace ringmark

#include "history/store/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/system/digest.hpp"
#include "results/files/csv.hpp"
#include "results/files/result_file.hpp"

namespace ringmark::history {
namespace {

Part part_of(const Column& column) {
  if (column.name == "src_host" || column.name == "dst_host") return Part::series;  // each link is a case of its own
  if (column.name == "run_id" || column.name == "hosts" || column.name == "version") return Part::launch;
  switch (column.role) {
    case Role::benchmark_case:
    case Role::choice:
    case Role::distortion:
      return Part::series;
    case Role::origin:
    case Role::library_version:
    case Role::measurement:
    case Role::rate:
      break;
  }
  return Part::row;
}

std::vector<const Column*> find_columns_of(Part part) {
  std::vector<const Column*> columns;
  for (const auto all :
       {contract_columns(), settings_keys(), own_columns_of(Schema::link), own_columns_of(Schema::replay)}) {
    for (const auto& column : all) {
      if (column.name != "settings" && part_of(column) == part) columns.push_back(&column);
    }
  }
  return columns;
}

bool is_fact(std::string_view key) {
  const auto role = role_of(key);
  return role == Role::origin || role == Role::library_version;
}

std::map<std::string, std::string> others_of(const Record& record, bool facts) {
  auto values = record.settings.others;
  std::erase_if(values, [facts](const auto& each) { return is_fact(each.first) != facts; });
  return values;
}

std::string text_of(const TypedCell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

/// A hexadecimal digest of the texts and of where each ends.
std::string digest_of(const std::vector<std::string>& texts, std::size_t digits) {
  return sha256(nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)).substr(0, digits);
}

}  // namespace

const std::vector<const Column*>& columns_of(Part part) {
  static const std::vector<const Column*> all[]{find_columns_of(Part::series), find_columns_of(Part::launch),
                                                find_columns_of(Part::row)};
  return all[static_cast<std::size_t>(part)];
}

std::map<std::string, std::string> options_of(const Record& record) { return others_of(record, false); }
std::map<std::string, std::string> facts_of(const Record& record) { return others_of(record, true); }

TypedCell value_in(const StoredRow& row, const Column& column) {
  if (const auto word = row.words.find(std::string(column.name)); word != row.words.end()) return word->second;
  return column.value(row.record);
}

std::string text_in(const StoredRow& row, const Column& column) { return text_of(value_in(row, column)); }

void set_value(StoredRow& row, const Column& column, const TypedCell& value) {
  const auto text = text_of(value);
  if (text.empty()) return;
  try {
    column.read(text, row.record);
  } catch (const CsvError&) {
    row.words[std::string(column.name)] = text;
  }
}

std::string series_digest(const StoredRow& row) {
  std::vector<std::string> texts;
  const auto add = [&](std::string_view name, std::string value) {
    if (value.empty()) return;
    texts.emplace_back(name);
    texts.push_back(std::move(value));
  };
  for (const auto* column : columns_of(Part::series)) add(column->name, text_in(row, *column));
  for (const auto& [key, value] : options_of(row.record)) add(key, value);
  for (const auto& [key, value] : row.record.extra) add(key, value);
  return digest_of(texts, 32);
}

std::int64_t row_digest(const StoredRow& row) {
  auto texts = to_csv(row.record, own_header(row.record.schema));
  for (const auto& [column, word] : row.words) texts.push_back(word);
  for (const auto& [key, value] : row.record.extra) texts.push_back(value);
  constexpr int hexadecimal = 16;
  return static_cast<std::int64_t>(std::stoull(digest_of(texts, 16), nullptr, hexadecimal));
}

}  // namespace ringmark::history

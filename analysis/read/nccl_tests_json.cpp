#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/json_documents.hpp"
#include "analysis/read/nccl_launch.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "results/files/csv.hpp"
#include "results/files/impossible_values.hpp"
#include "results/schema/cells.hpp"
#include "results/schema/columns.hpp"
#include "results/schema/earlier_rows.hpp"
#include "results/schema/printed_number.hpp"
#include "transports/nccl/version.hpp"

namespace ringmark::analysis {
namespace {

std::string json_word(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string word_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? "" : json_word(*found);
}

/// nccl-tests writes a device for each process: the one of its first rank.
void add_devices(const nlohmann::json& config, NcclLaunch& launch) {
  launch.ranks_of_process = config.value("nthreads", 1) * config.value("ngpus", 1);
  int rank = 0;
  for (const auto& device : config.at("devices")) {
    const std::string host = device.value("hostname", device.value("host", ""));
    const int first = device.value("rank", rank);
    for (int i = 0; i < launch.ranks_of_process; ++i)
      launch.ranks.push_back({first + i, device.value("group", 0), host});
    rank = first + launch.ranks_of_process;
  }
}

/// Nothing for documents of nccl-tests, and for placements without a row. Throws CsvError for an unknown word.
std::optional<NcclOutcome> outcome_of(const nlohmann::json& result, const char* placement) {
  const auto beyond = result.find("ringmark");
  if (beyond == result.end()) return std::nullopt;
  const auto found = beyond->find(placement);
  if (found == beyond->end() || found->is_null()) return std::nullopt;
  NcclOutcome outcome;
  from_cell(word_of(*found, "status"), outcome.status);
  from_cell(word_of(*found, "network"), outcome.network);
  outcome.detail = word_of(*found, "detail");
  if (found->contains("caveats")) {
    from_cell(word_of(*found, "caveats"), outcome.caveats);
  } else {
    outcome.caveats = take_earlier_caveats(outcome.detail);
  }
  return outcome;
}

/// The row of Ringmark's own documents. Throws CsvError for cells that do not fit their columns, or cannot be true.
std::optional<Record> own_row_of(const nlohmann::json& result, const char* placement) {
  const auto cells = result.value("ringmark", nlohmann::json::object()).value(placement, nlohmann::json());
  if (!cells.is_object() || !cells.contains("schema")) return std::nullopt;
  std::vector<std::string> header;
  std::vector<std::string_view> row;
  Record record;
  for (const auto& column : contract_columns()) {
    const auto cell = cells.find(column.name);
    if (cell == cells.end()) continue;
    header.emplace_back(column.name);
    row.push_back(cell->get_ref<const std::string&>());
    try {
      if (!row.back().empty()) check_cell(column, row.back());
      column.read(row.back(), record);
    } catch (const CsvError& error) {
      throw CsvError(fmt::format("column {}: {}", column.name, error.what()));
    }
  }
  if (const auto found = ImpossibleValues(header).find(record.schema, row))
    throw CsvError(fmt::format("column {}: {}", found->column, found->why));
  return record;
}

/// False for a CPU time, which -C asks for.
bool add_figures(const nlohmann::json& result, const char* placement, NcclLaunch& launch) {
  const auto found = result.find(placement);
  const bool has_figures = found != result.end() && !found->is_null();
  if (has_figures && found->contains("cpu_time")) return false;
  NcclFigures figures;
  figures.own = own_row_of(result, placement);
  if (!figures.own) figures.outcome = outcome_of(result, placement);
  if (!has_figures && !figures.outcome && !figures.own) return true;
  figures.line = launch.line;
  figures.is_in_place = std::string_view(placement) == "in_place";
  figures.size_bytes = result.at("size").get<std::uint64_t>();
  figures.count = result.at("count").get<std::uint64_t>();
  figures.type = result.at("type").get<std::string>();
  figures.redop = word_of(result, "redop");
  figures.root = word_of(result, "root");
  if (const auto begin = figures.root.find_first_not_of(' '); begin != std::string::npos) figures.root.erase(0, begin);
  if (has_figures) {
    figures.time = word_of(*found, "time");
    figures.algbw = word_of(*found, "alg_bw");
    figures.busbw = word_of(*found, "bus_bw");
    if (const auto wrong = word_of(*found, "nwrong"); !wrong.empty()) figures.wrong = wrong;
    const auto time = printed_number(figures.time);
    const auto own = figures.own ? printed_number(to_cell(figures.own->time_us_p50)) : std::nullopt;
    if (time && own && !may_be_equal(*time, *own))
      throw CsvError(
          fmt::format("its time of {} contradicts time_us_p50 {}", figures.time, to_cell(figures.own->time_us_p50)));
  }
  launch.rows.push_back(std::move(figures));
  return true;
}

/// Nothing for documents of nccl-tests. Throws CsvError for an unknown word.
std::optional<NcclOrigin> origin_of(const nlohmann::json& json) {
  const auto found = json.find("ringmark");
  if (found == json.end()) return std::nullopt;
  NcclOrigin origin;
  origin.run_id = word_of(*found, "run_id");
  from_cell(word_of(*found, "transport"), origin.transport);
  from_cell(word_of(*found, "memory"), origin.memory);
  from_cell(word_of(*found, "network"), origin.network);
  from_cell(word_of(*found, "timing"), origin.timing);
  return origin;
}

void read_nccl_document(ForeignRows& rows, const JsonDocument& document) {
  refuse_deep_nesting(rows.file(), document.text);
  const auto json = nlohmann::json::parse(document.text);
  NcclLaunch launch;
  launch.line = document.line;
  add_devices(json.at("config"), launch);
  if (const auto version = json.find("nccl_version"); version != json.end() && version->is_number_integer())
    launch.nccl_version = nccl_version_text(version->get<int>());
  launch.program = std::filesystem::path(json.at("args").at(0).get<std::string>()).filename().string();
  launch.origin = origin_of(json);
  if (launch.origin) launch.program.erase(0, launch.program.find(' ') + 1);  // "ringmark all_reduce"
  for (const auto& result : json.at("results")) {
    for (const char* placement : {"out_of_place", "in_place"}) {
      if (add_figures(result, placement, launch)) continue;
      return rows.refuse(document.line, "its times are CPU times (-C), not the operation's; run nccl-tests without -C");
    }
  }
  add_launch(rows, launch);
}

}  // namespace

void read_nccl_tests_json(ForeignRows& rows) {
  for (const auto& document : json_documents(rows.text())) {
    try {
      read_nccl_document(rows, document);
    } catch (const CsvError& error) {
      rows.refuse(document.line, error.what());
    } catch (const nlohmann::json::exception&) {
      rows.refuse(document.line, "not the JSON of nccl-tests, or cut off");
    }
  }
}

}  // namespace ringmark::analysis

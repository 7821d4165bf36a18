#include "history/input/contents.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/system/digest.hpp"
#include "results/files/csv.hpp"
#include "results/files/provenance.hpp"
#include "results/files/result_file.hpp"
#include "results/files/samples_file.hpp"
#include "results/schema/earlier_rows.hpp"

namespace ringmark::history {
namespace {

namespace fs = std::filesystem;

std::chrono::sys_seconds when_changed(const std::string& file) {
  std::error_code unknown;
  const auto changed = fs::last_write_time(file, unknown);
  if (unknown) return {};
  return std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(changed));
}

/// The time of a row, else `otherwise`.
std::chrono::sys_seconds time_of(const Record& record, std::chrono::sys_seconds otherwise) {
  return parse_utc(record.time_utc).value_or(otherwise);
}

/// By run, in the order of first rows.
std::vector<Launch> by_run(std::vector<StoredRow> rows, std::chrono::sys_seconds otherwise) {
  std::vector<Launch> launches;
  std::map<std::string, std::size_t> places;
  for (auto& row : rows) {
    const auto [place, is_new] = places.emplace(row.record.run_id, launches.size());
    if (is_new) launches.push_back({row.record.run_id, time_of(row.record, otherwise), {}});
    launches[place->second].rows.push_back(std::move(row));
  }
  return launches;
}

void read_own(Contents& contents, std::string_view text, std::chrono::sys_seconds otherwise) {
  std::vector<StoredRow> rows;
  try {
    ResultFile file(text, contents.file);
    while (file.next()) {
      auto& row = rows.emplace_back(StoredRow{file.record()});
      if (file.is_of_earlier_revision()) complete_earlier(row.record);
      if (row.record.run_id.empty()) file.refuse("run_id", "a row needs the name of its run");
    }
    if (!file.cut_off().empty()) contents.notes.push_back(file.cut_off());
  } catch (const CsvError& error) {
    throw BadUsage(error.what());
  }
  contents.launches = by_run(std::move(rows), otherwise);
}

/// Names of files may change, so that launches of other tools are known by their rows.
void read_foreign(Contents& contents, std::string_view text, const InputOptions& options,
                  std::chrono::sys_seconds otherwise) {
  analysis::Results results;
  std::vector<analysis::ForeignRow> found;
  auto reading = options.foreign;
  reading.rows = &found;
  analysis::read_text(results, contents.file, text, reading);
  std::vector<StoredRow> rows;
  for (auto& row : found) rows.push_back({std::move(row.record), std::move(row.words)});
  contents.launches = by_run(std::move(rows), options.date.value_or(otherwise));
  for (auto& launch : contents.launches) {
    std::string digests;
    for (auto& row : launch.rows) {
      row.record.run_id.clear();
      digests += fmt::format("{:016x}", static_cast<std::uint64_t>(row_digest(row)));
    }
    launch.key = "rows:" + sha256(digests);
  }
  contents.notes.insert(contents.notes.end(), results.notes.begin(), results.notes.end());
}

void read_verdict(Contents& contents, const nlohmann::json& json) {
  try {
    StoredVerdict verdict;
    const auto time = parse_utc(json.at("last_utc").get<std::string>());
    if (!time) throw BadUsage(fmt::format("{}: last_utc: not a time such as 2026-11-21T06:11:57Z", contents.file));
    verdict.time = *time;
    verdict.outcome = json.at("outcome").get<std::string>();
    verdict.drained = json.at("drain").get<std::vector<std::string>>();
    verdict.json = json.dump();
    contents.verdict = std::move(verdict);
  } catch (const nlohmann::json::exception& error) {
    throw BadUsage(fmt::format("{}: not a verdict of ringmark-accept: {}", contents.file, error.what()));
  }
}

std::optional<double> median_of(const std::vector<std::vector<double>>& by_rank, std::size_t rank) {
  if (rank >= by_rank.size() || by_rank[rank].empty()) return std::nullopt;
  return median(by_rank[rank]);
}

RowSamples summary_of(const SampledRow& row, std::uint64_t number) {
  RowSamples summary{row.run_id, number, {}};
  const auto& samples = row.samples;
  for (std::size_t rank = 0; rank < samples.time_us.size(); ++rank) {
    if (samples.time_us[rank].empty()) continue;
    const Sorted times(samples.time_us[rank]);
    constexpr double late_tail = 0.95;
    summary.ranks.push_back({static_cast<int>(rank), rank < row.hosts.size() ? row.hosts[rank] : "", times.size(),
                             times.median(), times.tail(late_tail), median_of(samples.computation_us, rank),
                             median_of(samples.late_us, rank)});
  }
  return summary;
}

void read_sample_file(Contents& contents) {
  std::map<std::string, std::uint64_t> rows_of_run;
  read_samples(contents.file,
               [&](const SampledRow& row) { contents.samples.push_back(summary_of(row, rows_of_run[row.run_id]++)); });
}

/// True if the first bytes of the file have the mark of a schema.
bool begins_with(std::string_view beginning, std::string_view schema) {
  return beginning.find(fmt::format("\"{}\"", schema)) != std::string_view::npos;
}

bool is_sample_file(const std::string& file) { return fs::path(file).filename() == "samples.jsonl"; }

void collect(const fs::path& folder, std::vector<std::string>& files) {
  bool has_results = false;
  for (const auto* name : {"results.csv", "samples.jsonl", "verdict.json"}) {
    if (!fs::is_regular_file(folder / name)) continue;
    files.push_back((folder / name).string());
    has_results = true;
  }
  if (has_results) return;
  std::vector<fs::path> below;
  for (const auto& entry : fs::directory_iterator(folder)) below.push_back(entry.path());
  std::sort(below.begin(), below.end());
  for (const auto& path : below) {
    if (fs::is_directory(path)) {
      collect(path, files);
    } else if (fs::is_regular_file(path)) {
      files.push_back(path.string());
    }
  }
}

}  // namespace

std::vector<std::string> files_to_add(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::error_code unknown;
    if (!fs::exists(path, unknown)) throw BadUsage(fmt::format("{}: no such file or folder", path));
    if (fs::is_directory(path, unknown)) {
      collect(path, files);
    } else {
      files.push_back(path);
    }
  }
  std::stable_partition(files.begin(), files.end(), [](const auto& file) { return !is_sample_file(file); });
  return files;
}

Contents read_contents(const std::string& file, const InputOptions& options) {
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  constexpr std::size_t enough = 4096;  // for the name of a schema
  limit_of(file, file, most_bytes);
  Contents contents{.file = file, .sha256 = sha256_of(file)};
  std::string beginning(enough, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(beginning.data(), static_cast<std::streamsize>(enough));
  if (begins_with(beginning, "samples/1")) {
    read_sample_file(contents);
  } else if (begins_with(beginning, "accept/1")) {
    read_verdict(contents, parse_json(file, whole_text(file, file)));
  } else if (beginning.starts_with("schema,")) {
    read_own(contents, whole_text(file, file, most_bytes), when_changed(file));
  } else {
    read_foreign(contents, whole_text(file, file, most_bytes), options, when_changed(file));
  }
  if (contents.launches.empty() && contents.samples.empty() && !contents.verdict)
    throw BadUsage(fmt::format("{}: there is no row of results", file));
  return contents;
}

}  // namespace ringmark::history

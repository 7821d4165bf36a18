#include "history/input/own_contents.hpp"

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
#include "results/schema/acceptance_outcome.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

namespace fs = std::filesystem;

/// The time of a row, else `otherwise`.
std::chrono::sys_seconds time_of(const Record& record, std::chrono::sys_seconds otherwise) {
  return parse_utc(record.time_utc).value_or(otherwise);
}

void read_own(Contents& contents, std::string_view text, std::chrono::sys_seconds otherwise) {
  std::vector<StoredRow> rows;
  try {
    ResultFile file(text, contents.file);
    while (file.next()) {
      const auto& row = rows.emplace_back(StoredRow{file.record()});
      if (row.record.run_id.empty()) file.refuse("run_id", "must not be empty");
    }
    if (!file.cut_off().empty()) contents.notes.push_back(file.cut_off());
  } catch (const CsvError& error) {
    throw BadUsage(error.what());
  }
  contents.launches = launches_by_run(std::move(rows), otherwise);
  for (auto& launch : contents.launches) {
    if (!launch.key.starts_with(key_of_rows)) continue;
    // From an export: the original rows had neither.
    for (auto& row : launch.rows) row.record.run_id = row.record.time_utc = "";
  }
}

void read_verdict(Contents& contents, const nlohmann::json& json) {
  try {
    StoredVerdict verdict;
    const auto time = parse_utc(json.at("last_utc").get<std::string>());
    if (!time) throw BadUsage(fmt::format("{}: last_utc: not a time such as 2026-11-21T06:11:57Z", contents.file));
    verdict.time = *time;
    verdict.outcome = json.at("outcome").get<std::string>();
    if (!parse_acceptance_outcome(verdict.outcome))
      throw BadUsage(fmt::format("{}: outcome: '{}' is not an outcome of ringmark-accept: pass, fail, undecided",
                                 contents.file, verdict.outcome));
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

bool has_name(std::string_view beginning, std::string_view schema) {
  return beginning.find(fmt::format("\"{}\"", schema)) != std::string_view::npos;
}

}  // namespace

std::chrono::sys_seconds when_changed(const std::string& file) {
  std::error_code unknown;
  const auto changed = fs::last_write_time(file, unknown);
  if (unknown) return {};
  return std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(changed));
}

bool is_in_the_future(std::chrono::sys_seconds time) {
  constexpr std::chrono::days tolerated(1);
  return time > std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) + tolerated;
}

bool is_in_the_distant_past(std::chrono::sys_seconds time) {
  return time < std::chrono::sys_days(std::chrono::year(2010) / 1 / 1);
}

std::vector<Launch> launches_by_run(std::vector<StoredRow> rows, std::chrono::sys_seconds otherwise) {
  struct Place {
    std::size_t launch;
    std::chrono::sys_seconds last;
  };
  std::vector<Launch> launches;
  std::map<std::string, Place> places;
  for (auto& row : rows) {
    const auto time = time_of(row.record, otherwise);
    const auto [place, is_new] = places.emplace(row.record.run_id, Place{launches.size(), time});
    const bool is_another = time - place->second.last > longest_pause;
    if (is_new || is_another) {
      place->second.launch = launches.size();
      launches.push_back({row.record.run_id, time, {}});
    }
    place->second.last = time;
    launches[place->second.launch].rows.push_back(std::move(row));
  }
  return launches;
}

std::vector<std::string> files_of_run(const std::string& folder) {
  const fs::path path(folder);
  std::vector<std::string> files;
  if (fs::is_regular_file(path / "results.csv")) {
    files.push_back((path / "results.csv").string());
    if (fs::is_regular_file(path / "samples.jsonl")) files.push_back((path / "samples.jsonl").string());
  } else if (fs::is_regular_file(path / "verdict.json")) {
    std::vector<std::string> samples;
    for (const auto& entry : fs::directory_iterator(path)) {
      const auto ending = entry.path().extension();
      if (ending == ".csv" || entry.path().filename() == "verdict.json") files.push_back(entry.path().string());
      if (ending == ".samples") samples.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    std::sort(samples.begin(), samples.end());
    files.insert(files.end(), samples.begin(), samples.end());
  }
  return files;
}

std::optional<Contents> read_own_contents(const std::string& file) {
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  constexpr std::size_t enough = 4096;  // for the name of a schema
  limit_of(file, file, most_bytes);
  Contents contents{.file = file, .sha256 = sha256_of(file)};
  std::string beginning(enough, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(beginning.data(), static_cast<std::streamsize>(enough));
  if (has_name(beginning, "samples/1")) {
    read_sample_file(contents);
    return contents;
  }
  const auto text = whole_text(file, file, most_bytes);
  if (has_name(std::string_view(text).substr(0, enough), "accept/1")) {
    read_verdict(contents, parse_json(file, text));
  } else if (text.starts_with("schema,")) {
    read_own(contents, text, when_changed(file));
  } else {
    return std::nullopt;
  }
  return contents;
}

}  // namespace ringmark::history

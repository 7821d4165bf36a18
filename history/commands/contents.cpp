#include "history/commands/contents.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/system/digest.hpp"
#include "base/text/error_text.hpp"
#include "history/input/own_contents.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

namespace fs = std::filesystem;

/// Files may be renamed, so launches of other tools are identified by their rows.
Contents read_foreign(const std::string& file, const InputOptions& options) {
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  Contents contents{.file = file, .sha256 = sha256_of(file)};
  analysis::Results results;
  std::vector<analysis::ForeignRow> found;
  auto reading = options.foreign;
  reading.rows = &found;
  analysis::read_text(results, file, whole_text(file, file, most_bytes), reading);
  std::vector<StoredRow> rows;
  std::set<std::string> known;  // run_ids that the file itself states
  for (auto& row : found) {
    if (row.has_run_id) known.insert(row.record.run_id);
    rows.push_back({std::move(row.record), std::move(row.words)});
  }
  contents.is_dated_by_file = !options.date && !rows.empty() && rows.front().record.time_utc.empty();
  contents.launches = launches_by_run(std::move(rows), options.date.value_or(when_changed(file)));
  // A link at line rate prints the same digits every night, so an explicit date makes it another launch.
  const auto date = options.date ? "@" + utc_text(*options.date) : "";
  contents.sha256 += date;
  for (auto& launch : contents.launches) {
    if (known.contains(launch.key)) continue;
    std::string digests;
    for (auto& row : launch.rows) {
      row.record.run_id.clear();
      digests += fmt::format("{:016x}", static_cast<std::uint64_t>(row_digest(row)));
    }
    launch.key = fmt::format("{}{}{}", key_of_rows, sha256(digests), date);
  }
  contents.notes = std::move(results.notes);
  return contents;
}

bool holds_samples(const std::string& file) {
  const fs::path path(file);
  return path.filename() == "samples.jsonl" || path.extension() == ".samples";
}

void refuse_impossible_dates(const Contents& contents, const InputOptions& options) {
  const auto check = [&](const std::string& what, std::chrono::sys_seconds time) {
    const bool is_future = is_in_the_future(time);
    if (!is_future && !is_in_the_distant_past(time)) return;
    throw BadUsage(fmt::format("{}: {} is dated {}, {}; {}", contents.file, what, utc_text(time),
                               is_future ? "in the future" : "before such results could be measured",
                               options.date == time ? "correct --date"
                                                    : "correct the clock of its host and the dates in the file, or "
                                                      "give --date for output without dates"));
  };
  for (const auto& launch : contents.launches)
    check(launch.key.starts_with(key_of_rows) ? "a launch" : "launch " + launch.key, launch.time);
  if (contents.verdict) check("the verdict", contents.verdict->time);
}

/// Finds the files in folders. Symbolic links may lead back to a folder, so each is visited once.
class Collection {
 public:
  Collection(std::vector<std::string>& files, std::vector<std::string>& unreadable)
      : files_(files), unreadable_(unreadable) {}

  void add(const fs::path& folder) try {
    if (!visited_.insert(fs::canonical(folder)).second) return;
    const auto of_run = files_of_run(folder.string());
    files_.insert(files_.end(), of_run.begin(), of_run.end());
    if (!of_run.empty()) return;
    std::vector<fs::path> below;
    for (const auto& entry : fs::directory_iterator(folder)) below.push_back(entry.path());
    std::sort(below.begin(), below.end());
    for (const auto& path : below) {
      std::error_code failed;
      const auto status = fs::status(path, failed);
      if (fs::is_directory(status)) {
        add(path);
      } else if (fs::is_regular_file(status) || failed) {  // reading it will report the reason
        files_.push_back(path.string());
      } else {
        unreadable_.push_back(fmt::format("{}: not a regular file", path.string()));
      }
    }
  } catch (const fs::filesystem_error& error) {
    unreadable_.push_back(ringmark::text_of(error));
  }

 private:
  std::vector<std::string>&files_, &unreadable_;
  std::set<fs::path> visited_;
};

}  // namespace

std::vector<std::string> files_to_add(const std::vector<std::string>& paths, std::vector<std::string>& unreadable) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (status.type() == fs::file_type::not_found) {
      unreadable.push_back(fmt::format("{}: no such file or folder", path));
    } else if (!fs::status_known(status)) {
      unreadable.push_back(fmt::format("{}: {}", path, failed.message()));
    } else if (fs::is_directory(status)) {
      const auto before = files.size() + unreadable.size();
      Collection(files, unreadable).add(path);
      if (files.size() + unreadable.size() == before)
        unreadable.push_back(fmt::format("{}: the folder has no files", path));
    } else {
      files.push_back(path);
    }
  }
  std::stable_partition(files.begin(), files.end(), [](const auto& file) { return !holds_samples(file); });
  return files;
}

Contents read_contents(const std::string& file, const InputOptions& options) {
  auto own = read_own_contents(file);
  auto contents = own ? std::move(*own) : read_foreign(file, options);
  if (contents.launches.empty() && contents.samples.empty() && !contents.verdict)
    throw BadUsage(fmt::format("{}: contains no results", file));
  refuse_impossible_dates(contents, options);
  return contents;
}

}  // namespace ringmark::history

#include "analysis/commands/input.hpp"

#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/table/usable_rows.hpp"
#include "analysis/table/where.hpp"
#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/text/printable.hpp"
#include "base/text/with_count.hpp"

namespace ringmark::analysis {

namespace {

std::size_t failed_rows(const Table& table) {
  const auto& statuses = table.text("status");
  std::size_t failed = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto status = parse_status(statuses[row]);
    if (status && is_failure(*status)) ++failed;
  }
  return failed;
}

}  // namespace

void tell(const std::string& text) { fmt::print(stderr, "ringmark-analyze: {}\n", as_message(text)); }

void tell_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows) {
  if (const auto text = pooled_files_in_words(table, rows); !text.empty()) tell(text);
}

void Input::declare(Flags& flags, bool files_are_required) {
  constexpr int most = 1 << 24;
  flags.group("Results");
  flags.texts(
      "results", files,
      "result files, folders, glob patterns, or sweep folders; also output of nccl-tests, OSU, IMB and perftest");
  if (files_are_required) flags.required();
  flags.repeatable(
      "--where", "COLUMN=VALUE[,VALUE...]",
      [this](const std::string& condition) { return where.push_back(condition), ""; },
      "use only matching rows; a number may be a range: size_bytes=1M..64M");
  flags.number("--ranks", options.ranks, 1, most, "number of ranks, for tables that do not state it (OSU, excerpts)");
  flags.number("--nodes", options.nodes, 1, most,
               "number of nodes, for tables that do not state it (OSU, IMB, perftest)");
}

Results Input::read() const {
  auto results = read_all(files, options);
  keep_asked(results);
  return results;
}

Results Input::read_all(const std::vector<std::string>& files, const ReadOptions& options) {
  auto results = read_results(files, options);
  for (const auto& note : results.notes) tell(note);
  return results;
}

std::string Input::asked() const { return fmt::format("only rows with {}", fmt::join(where, " and ")); }

void Input::keep_asked(Results& results) const {
  if (where.empty()) return;
  const auto failed_before = failed_rows(results.table);
  keep_where(results.table, where);
  results.notes.push_back(asked());
  // The row of a failed launch may have no size, so a condition on sizes drops it.
  if (const auto now = failed_rows(results.table); now < failed_before) {
    results.notes.push_back(
        fmt::format("--where excludes {} of failed launches", with_count(failed_before - now, "row")));
    tell(results.notes.back());
  }
}

std::vector<EntryTimes> Input::samples(std::vector<std::string> named, const Table& kept) const {
  for (const auto& file : files) {
    const auto samples_file = std::filesystem::path(file) / "samples.jsonl";
    if (std::filesystem::exists(samples_file)) named.push_back(samples_file.string());
  }
  std::vector<EntryTimes> all;
  for (const auto& file : named) {
    auto some = read_entry_times(file);
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  if (!where.empty()) {
    const auto launches = kept.categories("run_id").values;
    const std::set<std::string_view> known(launches.begin(), launches.end());
    std::erase_if(all, [&](const auto& each) { return !known.contains(each.run_id); });
  }
  return all;
}

std::vector<std::size_t> Input::usable(const Table& table) {
  std::vector<std::string> notes;
  auto rows = usable_rows(table, notes);
  for (const auto& note : notes) tell(note);
  if (rows.empty()) throw BadUsage("no row is usable; the notes above explain why");
  return rows;
}

void declare_link_rate(Flags& flags, std::optional<double>& link_GBps) {
  flags.number("--link-GBps", link_GBps, 1e-6, 1e6, "rated bandwidth of a link in 1e9 bytes/s: 12.5 for 100 Gbit/s");
}

void declare_samples(Flags& flags, std::vector<std::string>& files) {
  flags.texts("--samples", files, "sample files (JSON lines), in addition to the samples.jsonl of the result folders");
}

}  // namespace ringmark::analysis

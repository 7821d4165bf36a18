#include "sweeps/run/damage.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/digest.hpp"
#include "base/system/files.hpp"
#include "results/files/result_file.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto rows_remedy = "restore it from a copy, or run the sweep in another folder";

void refuse_changed_rows(const std::string& results, std::string_view rows, const JournalContent& journal) {
  std::uint64_t begin = 0;
  for (const auto& done : journal.done) {
    const auto part = rows.substr(begin, done.results_bytes - begin);
    begin = done.results_bytes;
    if (!done.results_sha256.empty() && sha256(part) != done.results_sha256)
      throw BadUsage(fmt::format("{}: the rows of launch {} have changed since they were measured; {}", results,
                                 done.launch, rows_remedy));
  }
}

void refuse_changed_samples(const std::string& samples, const JournalContent& journal) {
  const auto first = journal.loss ? journal.loss->launches : 0;
  auto begin = journal.loss ? journal.loss->kept_bytes : 0;
  if (journal.done.size() <= first || journal.done.back().samples_bytes == begin) return;
  PartDigests parts(samples, begin);
  for (std::size_t i = first; i < journal.done.size(); ++i) {
    const auto& done = journal.done[i];
    const auto digest = parts.next(done.samples_bytes - begin);
    begin = done.samples_bytes;
    if (!done.samples_sha256.empty() && digest != done.samples_sha256)
      throw BadUsage(
          fmt::format("{}: the samples of launch {} have changed since they were measured; restore it from a copy, or "
                      "move it away and continue without the samples so far",
                      samples, done.launch));
  }
}

void refuse_unreadable_rows(const std::string& results, std::string_view rows) {
  try {
    ResultFile file(rows);
    if (file.is_of_earlier_revision())
      throw BadUsage(
          fmt::format("{}: an earlier version of Ringmark began this sweep, and its rows have fewer columns; "
                      "finish it with that version, or run the sweep in another folder",
                      results));
    while (file.next()) file.record();
    if (!file.cut_off().empty()) throw CsvError(file.cut_off());
  } catch (const CsvError& error) {
    throw BadUsage(fmt::format("{}: {}; {}", results, error.what(), rows_remedy));
  }
}

/// A crash leaves rows of only the next launch. Rows of other launches mean that the journal lost lines.
void refuse_unknown_launches(const std::string& results, std::string_view rest, const JournalContent& journal) {
  const auto next = journal.done.size() + 1;
  CsvScanner rows(rest);
  std::vector<std::string_view> row;
  try {
    while (rows.next(row)) {
      if (row.size() < 2 || row[0] == "schema") continue;
      const auto launch = launch_of(*journal.head, row[1]);
      if (launch && *launch != next)
        throw BadUsage(
            fmt::format("{}: it has rows of launch {}, but the journal ends with launch {}: the journal has lost "
                        "lines; restore it from a copy, or run the sweep in another folder",
                        results, *launch, next - 1));
    }
  } catch (const CsvError&) {
    return;  // the remains of a crash
  }
}

}  // namespace

void refuse_damage(const std::string& results, const std::string& samples, const JournalContent& journal) {
  const auto text = read_if_readable(results);
  const auto rows = std::string_view(text).substr(0, journal.results_bytes());
  if (rows.size() < journal.results_bytes())
    throw BadUsage(fmt::format("{} has {} bytes, but the journal records {}: rows were lost or removed; {}", results,
                               text.size(), journal.results_bytes(), rows_remedy));
  refuse_unknown_launches(results, std::string_view(text).substr(rows.size()), journal);
  refuse_changed_rows(results, rows, journal);
  refuse_unreadable_rows(results, rows);
  refuse_changed_samples(samples, journal);
}

}  // namespace ringmark::sweep

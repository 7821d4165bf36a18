// From files to a Table: Ringmark's own results, and the output of nccl-tests, OSU, Intel's MPI benchmarks and
// perftest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// A row of another tool as a record, with the cells that a record cannot hold, by column.
struct ForeignRow {
  Record record;
  std::map<std::string, std::string> words;
  bool has_run_id = false;  ///< rows of other files with this run_id belong to the same launch
};

struct ReadOptions {
  std::optional<int> ranks;                 ///< for tables that do not state it: OSU's, and excerpts
  std::optional<int> nodes;                 ///< likewise for OSU's, IMB's and perftest's
  std::vector<ForeignRow>* rows = nullptr;  ///< also receives the rows of other tools, unless null
};

struct Results {
  Table table;
  /// Notes on rows that were left out, with the reason, and on guesses.
  std::vector<std::string> notes;
};

/// Reads result files. The folder of a sweep stands for its results.csv. Any other folder, or a pattern, stands for its
/// files, which are one side of a comparison: the column `file` has the folder or the pattern. The same holds for files
/// from several folders, with more than one from some folder, as when a shell expands `before/*.log after/*.log`.
/// Throws BadUsage with file, line and column for other files, for a schema that this version does not know, and for
/// cells that do not fit their column. A last line that was cut off is left out, with a note.
Results read_results(const std::vector<std::string>& paths, const ReadOptions& options = {});

/// A file's text as one of the formats, for read_results and its fuzzer. Throws BadUsage.
void read_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);
/// The same, but returns the reason if the file has no results that can be read; empty otherwise.
std::string try_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);

/// One CSV of schema 1, link/1 or replay/1.
void read_own_csv(Results& results, const std::string& file, std::string_view text);

}  // namespace ringmark::analysis

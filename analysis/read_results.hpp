// From files to a Table: Ringmark's own results, and the output of nccl-tests, OSU and Intel's MPI benchmarks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table.hpp"

namespace ringmark::analysis {

struct ReadOptions {
  std::optional<int> ranks;  ///< for files that do not say it: OSU's
  std::optional<int> nodes;  ///< likewise for OSU's and IMB's
};

struct Results {
  Table table;
  /// Notes on rows that were left out, with the reason, and on guesses.
  std::vector<std::string> notes;
};

/// Reads result files; a folder of a sweep stands for its results.csv. Throws BadUsage with file, line and column for
/// other files, for a schema that this version does not know, and for cells that do not fit their column. A last line
/// that was cut off is left out, with a note.
Results read_results(const std::vector<std::string>& paths, const ReadOptions& options = {});

/// A file's text as one of the formats, for read_results and its fuzzer. Throws BadUsage.
void read_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);

/// One CSV of schema 1, link/1 or replay/1.
void read_own_csv(Results& results, const std::string& file, std::string_view text);

}  // namespace ringmark::analysis

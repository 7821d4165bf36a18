// Output of other benchmarks, as rows of a Table.
//
// A figure keeps its meaning: nccl-tests and IMB report means over back-to-back operations and ranks (`batch`, one
// sample), OSU the mean over ranks as well. Sizes become S, the full buffer. The environment that nccl-tests' JSON
// carries is not read.
#pragma once

#include <string>
#include <string_view>

#include "analysis/read_results.hpp"

namespace ringmark::analysis {

/// True for text that looks like nccl-tests' text or JSON, or like output of OSU or IMB.
bool is_foreign(std::string_view text);

/// Appends a file's rows. Throws BadUsage with file and line.
void read_foreign(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);

/// The same for a known format.
void read_nccl_tests_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);
void read_nccl_tests_json(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);
void read_osu(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);
void read_imb(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);

}  // namespace ringmark::analysis

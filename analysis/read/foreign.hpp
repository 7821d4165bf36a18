// Output of other benchmarks, as rows of a Table.
//
// A file is a stream of tables, of one tool or of several. A table is a launch with its own ranks, collective and
// settings; one that cannot be read is reported, and the others are still read. Values keep their meaning:
// nccl-tests and IMB report means over back-to-back operations and ranks (`batch`, one sample), OSU the mean over ranks
// as well; perftest measures a link. NCCL's Inspector times the calls of a program. Sizes become S, the full buffer.
// The environment in nccl-tests' JSON is not read.
#pragma once

#include <string>
#include <string_view>

#include "analysis/read/read_results.hpp"

namespace ringmark::analysis {

class ForeignRows;

/// True for text that contains output of nccl-tests, OSU, IMB, perftest or NCCL's Inspector.
bool is_foreign(std::string_view text);

/// Appends a file's rows. Returns the reasons if no table can be read; empty otherwise. Throws BadUsage with file and
/// line if the file contradicts itself.
std::string read_foreign(Results& results, const std::string& file, std::string_view text, const ReadOptions& options);

/// The same for one tool; `rows` keeps the lines that cannot be read.
void read_nccl_tests_text(ForeignRows& rows);
void read_nccl_tests_json(ForeignRows& rows);
void read_osu(ForeignRows& rows);
void read_inspector(ForeignRows& rows);
void read_imb(ForeignRows& rows);
void read_perftest_text(ForeignRows& rows);
void read_perftest_json(ForeignRows& rows);

}  // namespace ringmark::analysis

// The command line of the collective benchmarks.
#pragma once

#include <string>
#include <vector>

#include "base/operation.hpp"
#include "bench/flags/counts.hpp"
#include "bench/flags/groups.hpp"
#include "bench/flags/run_options.hpp"
#include "bench/flags/sizes.hpp"
#include "results/schema/workload.hpp"

namespace ringmark {

/// The format of standard output: nccl-tests' table, or the JSON of its -J.
enum class OutputFormat { nccl_tests, nccl_tests_json };

struct BenchOptions : RunOptions {
  std::string algorithm = "auto";
  SizePlan sizes;
  std::vector<DataType> datatypes{DataType::float32};
  std::vector<ReduceOp> ops{ReduceOp::sum};
  Timing timing = Timing::each;
  Start start = Start::barrier;
  bool out_of_place = true, in_place = true;
  bool check = true;
  int root = 0;                        ///< of a rooted collective
  Pattern pattern = Pattern::ring;     ///< of send_recv
  std::optional<CountsChoice> counts;  ///< of unequal blocks
  std::string counts_text;             ///< as given
  std::optional<GroupChoice> groups;   ///< that run concurrently
  std::string groups_text;
  std::string samples_path;
  OutputFormat format = OutputFormat::nccl_tests;
  bool explain = false;
  std::optional<int> ranks_per_node;  ///< for --explain; one node if not given

  /// Only the first if the collective does not reduce.
  std::span<const ReduceOp> ops_of(Collective collective) const {
    return std::span(ops).first(reduces(collective) ? ops.size() : 1);
  }
};

/// `ranks` is the number of ranks if it is known without --ranks.
Parsed<BenchOptions> parse_options(Collective collective, int argc, const char* const* argv,
                                   std::optional<int> ranks = std::nullopt);
/// The operation whose S is at most `total_bytes`, with the options' root, pattern and counts.
Operation operation_for(Collective collective, const BenchOptions& options, DataType type, ReduceOp op, int ranks,
                        std::size_t total_bytes);
/// Why the options do not fit a run of this many ranks; empty if they do.
std::optional<Problem> why_not_for(Collective collective, const BenchOptions& options, int ranks);
std::vector<FlagFacts> bench_flags(Collective collective);

}  // namespace ringmark

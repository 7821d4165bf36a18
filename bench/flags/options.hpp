// The command line of the collective benchmarks.
#pragma once

#include <string>
#include <vector>

#include "base/operation.hpp"
#include "bench/flags/run_options.hpp"
#include "bench/flags/sizes.hpp"
#include "results/workload.hpp"

namespace ringmark {

struct BenchOptions : RunOptions {
  std::string algorithm = "auto";
  SizePlan sizes;
  std::vector<DataType> datatypes{DataType::float32};
  std::vector<ReduceOp> ops{ReduceOp::sum};
  Timing timing = Timing::each;
  bool out_of_place = true, in_place = true;
  bool check = true;
  std::string samples_path;
  bool explain = false;
  std::optional<int> ranks_per_node;  ///< to explain; one node if not given

  /// One where the collective reduces nothing.
  std::span<const ReduceOp> ops_of(Collective collective) const {
    return std::span(ops).first(reduces(collective) ? ops.size() : 1);
  }
};

Parsed<BenchOptions> parse_options(Collective collective, int argc, const char* const* argv);
std::vector<FlagFacts> bench_flags(Collective collective);

}  // namespace ringmark

// Output of nccl-tests, for tests.
#pragma once

#include <string>

#include <fmt/format.h>

namespace ringmark::testing_support {

/// A launch of nccl-tests, with a list of its ranks, whose busbw is that of `ranks`.
inline std::string launch_of(const std::string& program, int ranks, int listed, double factor) {
  std::string log =
      "# Collective test starting: " + program + "\n# nThread 1 nGpus 1 minBytes 1048576\n# Using devices\n";
  for (int rank = 0; rank < listed; ++rank) {
    log += fmt::format("#  Rank {:2} Group  0 Pid 1{} on node-{} device  {} [0x07] NVIDIA H100\n", rank, rank, rank / 4,
                       rank % 4);
  }
  log += "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n";
  for (const int size : {1048576, 2097152}) {
    log += fmt::format("{0} {1} float {2} -1 50.00 {3:.2f} {4:.2f} 0 50.00 {3:.2f} {4:.2f} N/A\n", size, size / 4,
                       program == "all_reduce_perf" ? "sum" : "none", size / 5e4, size / 5e4 * factor);
  }
  return log + fmt::format("# Out of bounds values : 0 OK\n# ranks {}\n", ranks);
}

}  // namespace ringmark::testing_support

// The JSON of nccl-tests' -J, version 3: the same keys and structure, so its parsers work unchanged.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>

#include "results/files/sink.hpp"

namespace ringmark {

/// The part of the document that describes the flags.
struct NcclTestsConfig {
  std::size_t min_bytes = 0, max_bytes = 0;
  std::optional<std::size_t> step_factor, step_bytes;  ///< one of them, or neither if the sizes are a list
  int warmup = 0;
  std::optional<int> iterations;  ///< empty if the stopping rule decides
  bool is_checked = true;
  Timing timing = Timing::each;
  bool is_graph = false;
  int nccl_version = 0;  ///< as NCCL numbers it; 0 if NCCL is not in use
};

/// Writes one JSON document. A result is added as soon as both of its placements are known, if `both` are expected. A
/// placement that was not measured is null, and a missing time is "nan". The document and each result have an object
/// `ringmark`: keys without a counterpart in nccl-tests, and the CSV cells of the result's rows. Rows must not have
/// groups. The document is closed by finish, after a row with status timeout, or by the destructor, which adds an entry
/// to its errors.
std::unique_ptr<Sink> make_nccl_tests_sink(std::FILE* out, const NcclTestsConfig& config, bool both);

}  // namespace ringmark

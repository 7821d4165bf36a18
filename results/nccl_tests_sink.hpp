// The JSON of nccl-tests' -J, version 3: the same keys and shapes, so that its parsers work unchanged.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>

#include "results/sink.hpp"

namespace ringmark {

/// The part of the document that describes the flags.
struct NcclTestsConfig {
  std::size_t min_bytes = 0, max_bytes = 0;
  std::optional<std::size_t> step_factor, step_bytes;  ///< one of them, or none where the sizes were given as a list
  int warmup = 0;
  std::optional<int> iterations;  ///< nothing where the stopping rule decides
  bool is_checked = true;
  Timing timing = Timing::each;
  bool is_graph = false;
  int nccl_version = 0;  ///< as NCCL numbers it; 0 where no NCCL moves the bytes
};

/// Writes one JSON document; a result is in it as soon as both of its placements are known, where `both` will come. A
/// placement that was not measured is null, and a time that does not exist "nan". An object `ringmark`, of the document
/// and of each result, has what nccl-tests has no key for. The rows have no groups. The document is closed by finish,
/// after a row with status timeout, or by the destructor, with an entry among its errors.
std::unique_ptr<Sink> make_nccl_tests_sink(std::FILE* out, const NcclTestsConfig& config, bool both);

}  // namespace ringmark

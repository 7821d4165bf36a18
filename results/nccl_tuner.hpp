// The configuration file of NCCL's example tuner plug-in (ext-tuner/example): a line per range of sizes, first match
// wins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmark {

/// The plug-in's spelling of what NCCL_ALGO or NCCL_PROTO names; empty for lists, exclusions and unknown names. A
/// function may stand before it: "allreduce:Tree". `collective` is NCCL's, "allreduce".
std::string nccl_tuner_word(std::string_view value, std::string_view collective);

struct NcclTunerRange {
  std::string collective;  ///< "allreduce"
  std::uint64_t from_bytes, to_bytes;
  std::string algorithm, protocol;
  int nodes = -1, ranks = -1;  ///< -1: any
};
std::string nccl_tuner_line(const NcclTunerRange& range);

}  // namespace ringmark

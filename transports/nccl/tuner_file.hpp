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

/// A winner's value as a file for whole jobs may have it: a list of NCCL_ALGO that was measured with one collective
/// gets that function's name, since without one it holds for all, and Tree alone would make the others fail. Of what is
/// no single collective it stays as it is.
std::string nccl_setting_of(std::string_view name, std::string_view value, std::string_view collective);

/// The size from which on the last line of a collective holds.
constexpr std::uint64_t largest_tuned_bytes = std::uint64_t{1} << 62U;

struct NcclTunerRange {
  std::string collective;  ///< "allreduce"
  std::uint64_t from_bytes, to_bytes;
  std::string algorithm, protocol;
  int nodes = -1, ranks = -1;  ///< -1: any
};
std::string nccl_tuner_line(const NcclTunerRange& range);

}  // namespace ringmark

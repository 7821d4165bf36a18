// The configuration file of NCCL's example tuner plug-in (ext-tuner/example): one line per range of sizes; the first
// match wins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmark {

/// The plug-in's spelling of a value of NCCL_ALGO or NCCL_PROTO; empty for lists, exclusions and unknown names. The
/// value may start with a function: "allreduce:Tree". `collective` is NCCL's name, "allreduce".
std::string nccl_tuner_word(std::string_view value, std::string_view collective);

/// The best value of a setting, in the form for a file that applies to whole jobs. A list for NCCL_ALGO that was
/// measured with one collective is prefixed by that function's name; otherwise it would apply to all functions, of
/// which several fail with Tree, for example. The value stays unchanged if `collective` is empty.
std::string nccl_setting_of(std::string_view name, std::string_view value, std::string_view collective);

/// The upper end of the last range of a collective.
constexpr std::uint64_t largest_tuned_bytes = std::uint64_t{1} << 62U;

struct NcclTunerRange {
  std::string collective;  ///< "allreduce"
  std::uint64_t from_bytes, to_bytes;
  std::string algorithm, protocol;
  int nodes = -1, ranks = -1;  ///< -1: any
};
std::string nccl_tuner_line(const NcclTunerRange& range);

}  // namespace ringmark

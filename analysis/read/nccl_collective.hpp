// The collective of a launch of nccl-tests, and the evidence in its list and values on the number of its ranks.
#pragma once

#include <optional>
#include <string>

#include "analysis/read/nccl_launch.hpp"
#include "analysis/stragglers/rank_evidence.hpp"

namespace ringmark::analysis {

/// The number of ranks in the list; nothing if ranks are missing from it.
std::optional<int> listed_ranks(const NcclLaunch& launch);
/// True if NCCL_TESTS_SPLIT split the ranks into groups, each with its own collective.
bool is_split(const NcclLaunch& launch);
/// All evidence in the launch on the number of ranks; values are evidence only if the collective is known.
RankEvidence evidence_of(const NcclLaunch& launch, std::optional<Collective> collective);

struct NcclCollective {
  std::optional<Collective> collective;
  std::string note, refusal;
};
/// From the tool's own output, or else the command above the table, the file's name, or busbw / algbw.
NcclCollective collective_of(const ForeignRows& rows, const NcclLaunch& launch);

}  // namespace ringmark::analysis

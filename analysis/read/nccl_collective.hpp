// The collective of a launch of nccl-tests, and what its list and its figures say about the number of its ranks.
#pragma once

#include <optional>
#include <string>

#include "analysis/read/nccl_launch.hpp"
#include "analysis/stragglers/rank_evidence.hpp"

namespace ringmark::analysis {

/// The number of ranks that the list has; nothing if ranks are missing in it.
std::optional<int> listed_ranks(const NcclLaunch& launch);
/// True where NCCL_TESTS_SPLIT made groups of the ranks, each with a collective of its own.
bool is_split(const NcclLaunch& launch);
/// All that the launch says about the number of ranks; figures say it of a known collective only.
RankEvidence evidence_of(const NcclLaunch& launch, std::optional<Collective> collective);

struct NcclCollective {
  std::optional<Collective> collective;
  std::string note, refusal;
};
/// By the tool's own word, else the command above the table, the file's name, or busbw / algbw.
NcclCollective collective_of(const ForeignRows& rows, const NcclLaunch& launch);

}  // namespace ringmark::analysis

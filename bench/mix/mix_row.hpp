// A row of a mix: one group in one window, from the operation that is asked for to the verdict.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/harness/path_proof.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/mix/mix_groups.hpp"
#include "bench/mix/mix_options.hpp"
#include "results/record.hpp"

namespace ringmark::mix {

/// The columns that a group has in every window. `resources` are those of its transport, which it names.
Record describe_group(const MixOptions& options, const MixGroup& group, const RankResources& resources,
                      const std::string& run_id);

/// The measurement of a group in one window.
struct GroupInWindow {
  std::vector<double> times_us;  ///< of its operations while all of the window's groups ran; empty if none did
  bool is_checked = true;        ///< its result is known exactly
  std::uint64_t wrong_elements = 0;
  PathFinding path;  ///< of all of the window's groups that share the path
};

/// Adds what was measured, and the verdict. All ranks call it.
void complete_row(const GroupInWindow& window, const MixGroup& group, RankResources& resources, Record& record);

}  // namespace ringmark::mix

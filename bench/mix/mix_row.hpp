// A row of a mix: one group in one window, from the requested operation to the verdict.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/harness/path_proof.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/mix/mix_groups.hpp"
#include "bench/mix/mix_options.hpp"
#include "results/schema/record.hpp"

namespace ringmark::mix {

/// The columns of a group that are the same in every window. `resources` are those of its transport.
Record describe_group(const MixOptions& options, const MixGroup& group, const RankResources& resources,
                      const std::string& run_id);

/// The measurement of a group in one window.
struct GroupInWindow {
  std::vector<double>
      times_us;  ///< of its operations while all of the window's groups were running; empty if there were none
  bool is_checked = true;  ///< false if the exact result is unknown
  std::uint64_t wrong_elements = 0;
  PathFinding path;  ///< for all of the window's groups that use the same transport and algorithm
};

/// Adds the measurement and the verdict. All ranks call it.
void complete_row(const GroupInWindow& window, const MixGroup& group, RankResources& resources, Record& record);

}  // namespace ringmark::mix

// The answer in a sentence: which setting, how far from the limit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare.hpp"
#include "analysis/recommend/training_steps.hpp"
#include "analysis/stragglers/stragglers.hpp"

namespace ringmark::analysis {

/// The best setting of one case at its largest size.
struct BestAtLargest {
  std::string case_name;
  std::uint64_t size_bytes;
  std::string label;    ///< the setting's value in the compared column
  std::string setting;  ///< all settings that vary, "transport=tcp tcp.sockets=unset"; empty if at most one does
  double busbw_GBps;
  std::optional<double> of_limit_percent;
  std::string against;          ///< the comparison with the baseline in words; empty without one
  bool is_undecided = false;    ///< too few launches to compare it with the baseline
  bool is_shown = false;        ///< faster than the baseline, or the baseline itself
  std::vector<Caveat> caveats;  ///< of the rows that this rests on
};

/// One for each case, in the order of the cases' names.
std::vector<BestAtLargest> best_at_largest(const Table& table, const std::vector<std::size_t>& rows,
                                           const std::optional<CompareResult>& comparison, std::optional<double> limit);

std::string headline(const std::vector<BestAtLargest>& best, const std::optional<CompareResult>& comparison);
/// The caveats of the headline's rows, each kind once.
std::vector<Caveat> caveats_of(const std::vector<BestAtLargest>& best);

/// The headline where only links were measured. Either may be empty, not both.
std::string headline(const Links& bandwidths, const Links& latencies);

/// The headline where only training steps were measured. `steps` is not empty.
std::string headline(const std::vector<TrainingStep>& steps);

}  // namespace ringmark::analysis

#include <algorithm>
#include <utility>

#include "analysis/stragglers/stragglers.hpp"
#include "results/files/samples_file.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {
namespace {

using Matrix = std::vector<std::vector<double>>;  ///< [rank][iteration]

/// How much longer each rank computed than the median rank, but no more than it was late for the step's collectives:
/// computation hidden behind communication delays no one.
Matrix held_up_us(const Matrix& computation_us, const Matrix& late_us) {
  Matrix held_up = late_us;
  std::vector<double> all(computation_us.size());
  for (std::size_t i = 0; !held_up.empty() && i < held_up.front().size(); ++i) {
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = computation_us[rank][i];
    const double middle = median(all);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      held_up[rank][i] = std::max(0.0, std::min(late_us[rank][i], computation_us[rank][i] - middle));
  }
  return held_up;
}

EntryTimes entry_times_of(SampledRow row) {
  EntryTimes operation{.run_id = std::move(row.run_id), .hosts = std::move(row.hosts), .is_step = row.is_step()};
  auto& samples = row.samples;
  if (!operation.is_step) {
    operation.entry_us = std::move(samples.entry_us);
    operation.clock_error_us = samples.clock_error_us;
  } else if (!samples.late_us
                  .empty()) {  // without late_us, no collective has all ranks, and no rank is known to be late
    // The replayer has already removed lateness below the clocks' error.
    operation.entry_us = held_up_us(samples.computation_us, samples.late_us);
  }
  std::vector<double> slowest(samples.time_us.empty() ? 0 : samples.time_us.front().size(), 0);
  for (const auto& rank : samples.time_us) {
    for (std::size_t i = 0; i < rank.size(); ++i) slowest[i] = std::max(slowest[i], rank[i]);
  }
  if (!slowest.empty()) operation.time_us = median(std::move(slowest));
  return operation;
}

}  // namespace

std::vector<EntryTimes> read_entry_times(const std::string& file) {
  std::vector<EntryTimes> operations;
  read_samples(file, [&](SampledRow row) {
    const bool has_entries = row.is_step() || !row.samples.entry_us.empty();
    if (row.timing == Timing::each && has_entries) operations.push_back(entry_times_of(std::move(row)));
  });
  return operations;
}

}  // namespace ringmark::analysis

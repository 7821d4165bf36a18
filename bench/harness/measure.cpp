#include "bench/harness/measure.hpp"

#include <algorithm>
#include <array>

#include "bench/harness/checked_buffers.hpp"
#include "bench/harness/start_window.hpp"

namespace ringmark {
namespace {

/// Long enough that the first block is a single sample.
constexpr double unknown_us = 1e9;

class Measuring {
 public:
  Measuring(Communicator& communicator, Control& control, RunBuffers& buffers, const MeasurePlan& plan,
            const std::function<void(bool)>& around_timed)
      : communicator_(communicator),
        device_(communicator.device()),
        control_(control),
        plan_(plan),
        around_timed_(around_timed),
        buffers_(communicator.memory(), plan.operation, buffers.get(plan.operation, communicator.rank(), plan.in_place),
                 communicator.rank(), communicator.size()),
        window_(control),
        is_idle_(!plan.group_of_rank.empty() && !plan.group_of_rank[static_cast<std::size_t>(control.rank())]),
        seen_as_slowest_(static_cast<std::size_t>(control.size())) {
    for (const auto group : plan.group_of_rank) {
      if (group && *group >= result_.groups.size()) result_.groups.resize(*group + 1);
    }
    group_slowest_.assign(result_.groups.size(), std::vector<int>(static_cast<std::size_t>(control.size())));
    const auto layout = layout_of(plan_.operation, communicator.size(), communicator.rank());
    for (int i = 0; plan_.timing == Timing::batch && i < plan_.batch_operations; ++i)
      batch_.push_back(buffers.rotated(buffers_.get(), layout, plan_.in_place, plan_.rotate ? i : 0));
    if (control.rank() == 0) {
      result_.samples.time_us.resize(static_cast<std::size_t>(control.size()));
      result_.samples.entry_us.resize(static_cast<std::size_t>(control.size()));
    }
  }

  Measurement run() {
    buffers_.fill();
    double typical_us = warm_up();
    const auto started = Clock::now();
    const double origin_us = control_.max(now_us() + control_.synchronise_clocks().to_rank0_us);
    for (;;) {
      // Clocks drift apart by microseconds per second, so each block synchronizes them again.
      const auto offset = control_.synchronise_clocks();
      result_.samples.clock_error_us = std::max(result_.samples.clock_error_us, control_.max(offset.error_us));
      double period_us = typical_us;
      if (plan_.start == Start::window) {
        const bool is_known = plan_.time.warmup > 0 || !result_.times_us.empty();
        window_.prepare(offset.to_rank0_us, is_known ? std::optional(typical_us) : std::nullopt);
        period_us = std::max(typical_us, window_.period_us());
      }
      const int samples = next_block(plan_.time, static_cast<int>(result_.times_us.size()), period_us);
      time_block(samples, offset.to_rank0_us - origin_us);
      exchange();
      typical_us = result_.times_us.back() * operations_per_sample();
      const std::chrono::duration<double> elapsed(
          control_.max(std::chrono::duration<double>(Clock::now() - started).count()));
      if (const auto reason = stop_reason(plan_.time, result_.times_us, elapsed)) {
        result_.stop_reason = *reason;
        break;
      }
    }
    if (plan_.check) count_wrong();
    if (plan_.timing == Timing::each) {
      const auto most = std::max_element(seen_as_slowest_.begin(), seen_as_slowest_.end());
      result_.slowest_rank = static_cast<int>(most - seen_as_slowest_.begin());
      for (std::size_t group = 0; group < result_.groups.size(); ++group) {
        const auto& seen = group_slowest_[group];
        result_.groups[group].slowest_rank =
            static_cast<int>(std::max_element(seen.begin(), seen.end()) - seen.begin());
      }
    }
    return std::move(result_);
  }

 private:
  void operate() {
    if (!is_idle_) communicator_.run(plan_.operation, buffers_.get(), plan_.time.timeout);
  }
  void run_batch() {
    if (!is_idle_) communicator_.run_batch(plan_.operation, batch_, plan_.time.timeout);
  }

  void count_wrong() {
    const std::array mine{is_idle_ ? 0.0 : static_cast<double>(wrong_)};
    const auto all = control_.all_gather(mine);
    result_.wrong_elements = 0;
    for (auto& group : result_.groups) group.wrong_elements = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto wrong = static_cast<std::uint64_t>(all[rank]);
      *result_.wrong_elements += wrong;
      if (const auto group = group_of(rank)) *result_.groups[*group].wrong_elements += wrong;
    }
  }

  std::optional<std::size_t> group_of(std::size_t rank) const {
    return plan_.group_of_rank.empty() ? std::nullopt : plan_.group_of_rank[rank];
  }
  bool counts(std::size_t rank) const { return plan_.group_of_rank.empty() || group_of(rank).has_value(); }

  std::optional<LaunchTimes> last_launch() const {
    if (device_ == nullptr || plan_.timing != Timing::each) return std::nullopt;
    return is_idle_ ? LaunchTimes{0, 0} : device_->last_launch();
  }

  int operations_per_sample() const { return plan_.timing == Timing::batch ? plan_.batch_operations : 1; }

  /// The times of one sample on some ranks.
  struct Times {
    double longest = 0, sum = 0;
    std::size_t slowest = 0;
    int ranks = 0;

    void add(std::size_t rank, double duration_us) {
      if (ranks++ == 0 || duration_us > longest) longest = duration_us, slowest = rank;
      sum += duration_us;
    }
    double of(Timing timing) const { return timing == Timing::batch ? sum / ranks : longest; }
  };

  /// Uses the same size, buffers and communicator as the measurement. Returns a sample's approximate time, the same on
  /// all ranks.
  double warm_up() {
    double last_us = unknown_us;
    for (int i = 0; i < plan_.time.warmup; ++i) {
      control_.barrier();
      const double start = now_us();
      operate();
      last_us = now_us() - start;
    }
    return control_.max(last_us * operations_per_sample());
  }

  /// Poisons the results, so that they can only come from the operations that follow.
  void prepare_check() {
    buffers_.poison();
    buffers_.fill();  // in place, this is part of the poisoned result
  }

  /// Returns the start time if the ranks agreed on one.
  std::optional<double> begin_together() {
    if (plan_.start == Start::window) return window_.wait();
    control_.barrier();
    return std::nullopt;
  }

  void time_block(int samples, double to_common_us) {
    durations_us_.clear();
    entries_us_.clear();
    issues_us_.clear();
    device_us_.clear();
    if (plan_.check) prepare_check();
    const int operations = operations_per_sample();
    control_.barrier();
    around_timed_(true);
    for (int sample = 0; sample < samples; ++sample) {
      const auto agreed_us = begin_together();
      const double entry = now_us(), start = agreed_us.value_or(entry);
      plan_.timing == Timing::batch ? run_batch() : operate();
      const double end = now_us();
      durations_us_.push_back((end - start) / operations);
      entries_us_.push_back(entry + to_common_us);
      if (const auto times = last_launch()) {
        issues_us_.push_back(times->issue_us);
        device_us_.push_back(times->device_us);
      }
      // In place, only the first operation after the input was written has a predictable result.
      if (sample == 0 && plan_.check && plan_.in_place && operations == 1) {
        wrong_ += buffers_.count_wrong();
      }
    }
    control_.barrier();  // sent data may be queued in the sender's host until the receivers have it
    around_timed_(false);
    result_.operations += static_cast<std::uint64_t>(samples) * static_cast<std::uint64_t>(operations);
    if (!plan_.check) return;
    if (!plan_.in_place) {
      wrong_ += buffers_.count_wrong();
    } else if (operations > 1) {
      prepare_check();
      control_.barrier();
      operate();
      wrong_ += buffers_.count_wrong();
    }
  }

  /// Sends every rank's samples of the block to every rank, so that all decide the same.
  void exchange() {
    const auto ranks = static_cast<std::size_t>(control_.size());
    const std::size_t samples = durations_us_.size();
    const auto durations = control_.all_gather(durations_us_);
    const auto entries = control_.all_gather(entries_us_);
    for (std::size_t i = 0; i < samples; ++i) {
      Times of_all;
      std::vector<Times> of_groups(result_.groups.size());
      double first = entries[i], last = entries[i];
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!counts(rank)) continue;
        of_all.add(rank, durations[rank * samples + i]);
        if (const auto group = group_of(rank)) of_groups[*group].add(rank, durations[rank * samples + i]);
        first = std::min(first, entries[rank * samples + i]);
        last = std::max(last, entries[rank * samples + i]);
      }
      result_.times_us.push_back(of_all.of(plan_.timing));
      result_.skews_us.push_back(last - first);
      ++seen_as_slowest_[of_all.slowest];
      for (std::size_t group = 0; group < of_groups.size(); ++group) {
        result_.groups[group].times_us.push_back(of_groups[group].of(plan_.timing));
        ++group_slowest_[group][of_groups[group].slowest];
      }
    }
    keep_longest(issues_us_, result_.issue_us);
    keep_longest(device_us_, result_.device_us);
    for (std::size_t rank = 0; rank < result_.samples.time_us.size(); ++rank) {
      const auto begin = static_cast<std::ptrdiff_t>(rank * samples);
      const auto end = begin + static_cast<std::ptrdiff_t>(samples);
      auto& times = result_.samples.time_us[rank];
      auto& starts = result_.samples.entry_us[rank];
      times.insert(times.end(), durations.begin() + begin, durations.begin() + end);
      starts.insert(starts.end(), entries.begin() + begin, entries.begin() + end);
    }
  }

  void keep_longest(const std::vector<double>& mine, std::vector<double>& to) {
    if (mine.empty()) return;
    const auto all = control_.all_gather(mine);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      double longest = 0;
      for (std::size_t at = i; at < all.size(); at += mine.size()) longest = std::max(longest, all[at]);
      to.push_back(longest);
    }
  }

  Communicator& communicator_;
  DeviceOperations* device_;  ///< null if operations do not run on a device
  Control& control_;
  const MeasurePlan& plan_;
  const std::function<void(bool)>& around_timed_;
  CheckedBuffers buffers_;
  std::vector<Buffers> batch_;  ///< of the operations that make up a sample
  Measurement result_;
  std::vector<double> durations_us_, entries_us_, issues_us_, device_us_;  ///< of this rank, in this block
  StartWindow window_;
  bool is_idle_;  ///< in no group
  std::vector<int> seen_as_slowest_;
  std::vector<std::vector<int>> group_slowest_;  ///< by group: how often each rank was the slowest
  std::size_t wrong_ = 0;
};

}  // namespace

Measurement measure(Communicator& communicator, Control& control, RunBuffers& buffers, const MeasurePlan& plan,
                    const std::function<void(bool)>& around_timed) {
  return Measuring(communicator, control, buffers, plan, around_timed).run();
}

}  // namespace ringmark

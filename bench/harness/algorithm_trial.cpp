#include "bench/harness/algorithm_trial.hpp"

#include <algorithm>
#include <limits>

#include "results/statistics/statistics.hpp"

namespace ringmark {
namespace {

using Times = std::vector<std::vector<double>>;  ///< by contender

/// A contender is preferred to later ones if it takes at most this multiple of the shortest time.
constexpr double hardly_longer = 1.1;
constexpr std::chrono::duration<double> usual_limit{1};
constexpr double turn_us = 5000;  ///< approximate length of one contender's turn of short operations
constexpr int most_in_turn = 50;
constexpr int least_rounds = 3;  ///< so that a single slow sample rules nothing out

/// The confidence interval of the median; with too few samples for one, their range widened by a margin.
Interval median_between(const std::vector<double>& times_us) {
  const Sorted sorted(times_us);
  constexpr double margin = 1.25;
  return sorted.median_interval().value_or(Interval{sorted.min() / margin, sorted.max() * margin});
}

std::size_t fastest(const Times& times_us) {
  std::size_t best = 0;
  double least_us = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    if (times_us[i].empty()) continue;
    if (const double time_us = median(times_us[i]); time_us < least_us) best = i, least_us = time_us;
  }
  return best;
}

class Trial {
 public:
  Trial(Communicator& communicator, Control& control, const Operation& operation, Buffers buffers,
        Clock::duration patience)
      : communicator_(communicator),
        control_(control),
        operation_(operation),
        buffers_(buffers),
        patience_(patience),
        contenders_(communicator.contenders(operation)) {}

  void run(std::chrono::duration<double> limit) {
    const auto count = static_cast<std::size_t>(control_.max(static_cast<double>(contenders_.size())));
    if (count == 0) return;
    double expected_us = 0;
    for (const auto& contender : contenders_) expected_us += contender.expected_us;
    if (count > 1 && control_.max(expected_us) > 1e6 * limit.count()) return settle_by_model();
    is_in_.assign(count, true);
    times_us_.assign(count, {});
    settle(count == 1 ? 0 : decide(limit));
  }

 private:
  std::size_t decide(std::chrono::duration<double> limit) {
    const double started_us = now_us();
    int samples = 1;
    for (int round = 0;; ++round) {
      take_turns(static_cast<std::size_t>(round), samples);
      const double elapsed_us = control_.max(now_us() - started_us);
      if (round == 0 && elapsed_us < 1e6 * limit.count() / 2) {
        // The first operations connect, and touch memory for the first time.
        samples = std::clamp(static_cast<int>(turn_us / median(times_us_[fastest(times_us_)])), 1, most_in_turn);
        for (auto& times_us : times_us_) times_us.clear();
        continue;
      }
      if (const auto choice = clear_choice(times_us_); choice && round >= least_rounds) return *choice;
      if (elapsed_us > 1e6 * limit.count() || (round >= least_rounds && elapsed_us > 1e6 * usual_limit.count()))
        return best_choice(times_us_);
      if (round >= least_rounds) rule_out();
    }
  }

  /// Every round begins with a different contender, so that none always follows the same one.
  void take_turns(std::size_t first, int samples) {
    std::vector<std::size_t> order;
    std::vector<double> mine_us;
    for (std::size_t i = 0; i < is_in_.size(); ++i) {
      const std::size_t contender = (first + i) % is_in_.size();
      if (!is_in_[contender]) continue;
      order.push_back(contender);
      settle(contender);
      for (int sample = 0; sample < samples; ++sample) {
        control_.barrier();
        const double start_us = now_us();
        if (!is_idle()) communicator_.run(operation_, buffers_, patience_);
        mine_us.push_back(is_idle() ? 0 : now_us() - start_us);
      }
    }
    const auto all_us = control_.all_gather(mine_us);
    for (std::size_t at = 0; at < mine_us.size(); ++at) {
      double slowest_us = 0;
      for (std::size_t i = at; i < all_us.size(); i += mine_us.size()) slowest_us = std::max(slowest_us, all_us[i]);
      times_us_[order[at / static_cast<std::size_t>(samples)]].push_back(slowest_us);
    }
  }

  /// A contender that is certainly slower takes no more turns.
  void rule_out() {
    const auto best = median_between(times_us_[fastest(times_us_)]);
    for (std::size_t i = 0; i < times_us_.size(); ++i) {
      if (!is_in_[i] || median_between(times_us_[i]).low <= hardly_longer * best.high) continue;
      is_in_[i] = false;
      times_us_[i].clear();
    }
  }

  void settle_by_model() {
    const auto name = communicator_.choice_for(operation_, false).algorithm;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      if (contenders_[i].algorithm == name) return settle(i);
    }
  }
  bool is_idle() const { return contenders_.empty(); }
  void settle(std::size_t contender) {
    if (!is_idle()) communicator_.settle(operation_, contenders_[contender].algorithm);
  }

  Communicator& communicator_;
  Control& control_;
  const Operation& operation_;
  Buffers buffers_;
  Clock::duration patience_;
  std::vector<Contender> contenders_;
  std::vector<bool> is_in_;  ///< by contender
  Times times_us_;           ///< of the slowest rank
};

}  // namespace

std::optional<std::size_t> clear_choice(const Times& times_us) {
  const std::size_t fastest_one = fastest(times_us);
  const auto best = median_between(times_us[fastest_one]);
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    if (times_us[i].empty()) continue;
    const auto own = median_between(times_us[i]);
    if (i == fastest_one || own.high <= hardly_longer * best.low) return i;
    if (own.low <= hardly_longer * best.high) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t best_choice(const Times& times_us) {
  const double least_us = median(times_us[fastest(times_us)]);
  std::size_t i = 0;
  while (times_us[i].empty() || median(times_us[i]) > hardly_longer * least_us) ++i;
  return i;
}

void try_algorithms(Communicator& communicator, Control& control, const Operation& operation, Buffers buffers,
                    std::chrono::duration<double> limit, Clock::duration patience) {
  Trial(communicator, control, operation, buffers, patience).run(limit);
}

}  // namespace ringmark

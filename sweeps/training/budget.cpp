#include "sweeps/training/budget.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "sweeps/run/progress.hpp"

namespace ringmark::sweep {

Shares shares_of(const TrainingRun& run, const Shares& wanted) {
  auto shares = wanted;
  constexpr int least_search = 2;
  const auto least = [&](int want) { return std::min(want, least_search); };
  if (!run.budget_launches) return shares;
  const int launches = *run.budget_launches;
  const int searching = least(wanted.collective) + least(wanted.strategy) + least(wanted.framework) + wanted.link;
  const int most_of_each = (launches - searching) / most_verified;
  if (most_of_each < (run.verify ? *run.verify : least_verify))
    throw BadUsage(
        Problem{.flag = "budget.launches",
                .value = std::to_string(launches),
                .text = fmt::format("the search and {} launches of each of up to {} settings at the end need "
                                    "at least {}",
                                    run.verify.value_or(least_verify), most_verified,
                                    searching + most_verified * run.verify.value_or(least_verify)),
                .remedy = "give more, or leave steps out with change: {strategy: no}",
                .place = Place{run.file, run.line_of("budget")}});
  // Unless the file sets their number, at most half of the launches verify.
  shares.verify = run.verify.value_or(std::clamp(launches / (2 * most_verified), least_verify, wanted.verify));
  shares.verify = std::min(shares.verify, most_of_each);
  int left = launches - most_verified * shares.verify - wanted.link;
  const auto take = [&](int want, int parts, int of) {
    const int given = std::min(want, std::max(least(want), left * parts / of));
    left -= given;
    return given;
  };
  shares.collective = take(wanted.collective, 2, 5);
  shares.strategy = take(wanted.strategy, 3, 5);
  shares.framework = take(wanted.framework, 1, 1);
  return shares;
}

Budget::Budget(const TrainingRun& run, double spent_s)
    : grace_s_(std::chrono::duration<double>(run.base.grace).count()), spent_s_(spent_s), longest_s_(0) {
  if (run.budget_time) time_s_ = std::chrono::duration<double>(*run.budget_time).count();
}

double Budget::spent_s() const { return spent_s_ + std::chrono::duration<double>(Clock::now() - started_).count(); }

std::optional<double> Budget::left_s() const { return time_s_ ? std::optional(*time_s_ - spent_s()) : std::nullopt; }

std::optional<std::chrono::milliseconds> Budget::next_launch() {
  const auto now = Clock::now();
  if (last_) longest_s_ = std::max(longest_s_, std::chrono::duration<double>(now - *last_).count());
  last_ = now;
  const auto left = left_s();
  if (!left) return std::nullopt;
  const double for_it = *left - grace_s_;
  if (for_it <= longest_s_)
    throw BudgetSpent(fmt::format("the time budget of {} is used up", format_seconds(*time_s_)));
  return std::chrono::milliseconds(static_cast<long>(1000 * for_it));
}

}  // namespace ringmark::sweep

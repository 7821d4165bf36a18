#include "sweeps/tune/tuner.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "results/files/csv.hpp"

namespace ringmark::sweep {
namespace {

struct Tally {
  std::vector<double> scores;
  int failures = 0;
  double mean() const {
    double sum = 0;
    for (const double score : scores) sum += score;
    return sum / static_cast<double>(scores.size());
  }
};

}  // namespace

Outcome tune(const Tuning& tuning, const Space& space, std::uint64_t seed, const Past& past, const Evaluate& evaluate,
             const std::function<double()>& seconds) {
  Outcome outcome{.trials = past.search};
  const auto strategy = make_strategy(tuning.search, space, seed, tuning.budget_launches);
  const auto default_point = space.plan().default_point();
  const auto has_budget = [&] {
    return past.verification.empty() && std::ssize(outcome.trials) < tuning.budget_launches &&
           (!tuning.budget_time || seconds() < std::chrono::duration<double>(*tuning.budget_time).count());
  };
  while (has_budget()) {
    const auto point = strategy->propose(outcome.trials);
    if (!point) break;
    outcome.trials.push_back(evaluate(Phase::search, *point));
  }
  outcome.winner = strategy->best(outcome.trials);
  if (!outcome.winner || *outcome.winner == default_point) return outcome;
  for (std::size_t n = 0; n < 2 * static_cast<std::size_t>(tuning.verify_launches); ++n) {
    // The two take turns, and each goes first equally often, so that a drift of the machine affects both alike.
    const bool winners_turn = (n / 2 + n) % 2 == 0;
    const auto point = winners_turn ? *outcome.winner : default_point;
    const auto trial = n < past.verification.size() ? past.verification[n] : evaluate(Phase::verification, point);
    if (trial.point != point)
      throw BadUsage(
          "the journal verifies another winner: another version of ringmark-sweep began this sweep; continue with that "
          "version");
    if (trial.score) {
      (winners_turn ? outcome.winner_scores : outcome.default_scores).push_back(*trial.score);
    } else {
      ++(winners_turn ? outcome.winner_failures : outcome.default_failures);
    }
  }
  if (!outcome.winner_scores.empty() && !outcome.default_scores.empty())
    outcome.difference = compare_launches({{outcome.winner_scores, outcome.default_scores}}).at(0);
  return outcome;
}

bool is_better(const Outcome& outcome) {
  return outcome.difference && outcome.difference->verdict == Verdict::faster &&
         outcome.winner_failures <= outcome.default_failures && !forbid_decision(outcome.caveats);
}

namespace {

/// Counts the settings without a score: each may be better or worse than the winner.
std::string without_score(const Outcome& outcome) {
  std::set<std::size_t> tried, scored;
  for (const auto& trial : outcome.trials) {
    tried.insert(trial.point);
    if (trial.score) scored.insert(trial.point);
  }
  if (scored.size() == tried.size()) return "";
  return fmt::format(
      "{} of {} settings that were tried have no score: something in each of their launches failed or is not supported "
      "(see results.csv).\n",
      tried.size() - scored.size(), tried.size());
}

std::string conclusion(const Outcome& outcome, const Sweep& sweep, const Plan& plan) {
  const auto default_setting = describe(sweep.variables, plan.setting(plan.default_point()));
  if (!outcome.winner) return "No setting could be measured: the rows in results.csv give the reasons.\n";
  const auto winner = describe(sweep.variables, plan.setting(*outcome.winner));
  if (*outcome.winner == plan.default_point())
    return fmt::format("Keep the default ({}): no setting that was tried looked better.\n", default_setting);
  if (outcome.winner_failures > outcome.default_failures)
    return fmt::format("Keep the default ({}): {} looked best, but failed in {} of {} launches of the verification.\n",
                       default_setting, winner, outcome.winner_failures,
                       outcome.winner_failures + static_cast<int>(outcome.winner_scores.size()));
  if (!outcome.difference)
    return fmt::format("The search found {} to be the best, but it could not be compared with the default ({}).\n",
                       winner, default_setting);
  const auto difference = in_words(*outcome.difference);
  const auto launches = fmt::format("{} and {} fresh launches in alternation", outcome.winner_scores.size(),
                                    outcome.default_scores.size());
  if (forbid_decision(outcome.caveats))
    return fmt::format("Keep the default ({}): {} is {} over {}, but in doubt: {}.\n", default_setting, winner,
                       difference, launches, in_words(outcome.caveats));
  if (is_better(outcome))
    return fmt::format("Best: {}\n{} than the default ({}), with its 95 % interval, over {}.\n", winner, difference,
                       default_setting, launches);
  return fmt::format(
      "Keep the default ({}): no setting was shown to be better.\nThe search found {} to be the best; verified over "
      "{}: "
      "{}.\n",
      default_setting, winner, launches, difference);
}

}  // namespace

std::string verdict(const Outcome& outcome, const Sweep& sweep, const Plan& plan) {
  return conclusion(outcome, sweep, plan) + without_score(outcome);
}

std::string tried_table(const Outcome& outcome, const Sweep& sweep, const Plan& plan) {
  std::map<std::size_t, Tally> tallies;
  for (const auto& trial : outcome.trials) {
    auto& tally = tallies[trial.point];
    if (trial.score) {
      tally.scores.push_back(*trial.score);
    } else {
      ++tally.failures;
    }
  }
  std::vector<std::pair<std::size_t, Tally>> order(tallies.begin(), tallies.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.second.scores.empty() || b.second.scores.empty()) return !a.second.scores.empty() && b.second.scores.empty();
    return a.second.mean() < b.second.mean();
  });
  CsvRow header{"mean_score", "launches", "failures"};
  for (const auto& variable : sweep.variables) header.push_back(variable.name);
  auto text = write_csv(header);
  for (const auto& [point, tally] : order) {
    CsvRow row{tally.scores.empty() ? "" : fmt::format("{:.6g}", tally.mean()), std::to_string(tally.scores.size()),
               std::to_string(tally.failures)};
    for (const auto& value : plan.setting(point)) row.push_back(to_text(value));
    text += write_csv(row);
  }
  return text;
}

}  // namespace ringmark::sweep

#include "sweeps/training/live_chain.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "results/statistics/comparison.hpp"
#include "sweeps/file/argument_check.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/run/estimate.hpp"
#include "sweeps/run/progress.hpp"
#include "sweeps/training/predicted_chain.hpp"

namespace ringmark::sweep {
namespace {

/// The number of launches that a search of this many settings is worth.
int search_launches(std::size_t settings) {
  constexpr std::size_t most = 60;
  return settings < 2 ? 0 : static_cast<int>(std::min(most, 2 * settings));
}

/// The number of candidates that a halving search can try in this many launches.
std::size_t candidates_for(int launches) { return static_cast<std::size_t>(std::max(launches / 2, 1)); }

constexpr std::size_t usual_candidates = 8;
/// The maximum number of search launches per candidate, where there are few candidates.
constexpr int most_repeats = 3;

TunedPoint point_of(std::string name, const VerifiedSetting& setting) {
  TunedPoint point{.name = std::move(name), .launches = setting.rows.size()};
  if (setting.rows.empty()) return point;
  const Sorted times(setting.times_us());
  point.step_ms = times.median() / 1e3;
  if (const auto interval = times.median_interval())
    point.interval_ms = Interval{interval->low / 1e3, interval->high / 1e3};
  if (const auto exposed_us = setting.median_of(&StepResult::exposed_us)) point.exposed_ms = *exposed_us / 1e3;
  point.samples_per_s = setting.median_of(&StepResult::samples_per_s);
  return point;
}

Gain gain_of(const std::optional<Difference>& difference) {
  return difference ? Gain{difference->ratio, difference->interval} : Gain();
}

/// The settings of the transport that are not the usual ones, ready to use.
ReadySettings ready_settings(const TransportSettings& transport, const TransportSettings& usual) {
  ReadySettings ready;
  for (const auto& [name, value] : transport) {
    if (value == usual.at(name)) continue;
    if (target_of(name) == Target::environment) {
      ready.environment[name] = value;
    } else if (value) {
      ready.arguments.push_back(argument_of(name, *value));
    }
  }
  return ready;
}

}  // namespace

LiveChain::LiveChain(const TrainingRun& run, StepSpace& space, std::string folder)
    : run_(run),
      space_(space),
      folder_(std::move(folder)),
      budget_(run, seconds_of_stages(folder_)),
      forecast_(space.options()),
      variables_(collective_variables(run)),
      step_(space.own()),
      likely_(space.own()),
      tuned_(begin_tuned_run(space)),
      own_fits_(fits(space.own(), device_bytes_of(space.options()))) {
  files_[space.own().name] = space.trace_file(space.own());
  const auto sweep = collective_sweep();
  const Plan plan(sweep);
  if (auto problems = check_arguments(sweep, plan, run.file); !problems.empty()) throw BadUsage(std::move(problems));
  usual_ = best_ = settings_of(variables_, variables_.empty() ? sweep::Setting() : plan.setting(plan.default_point()));
  if (space.why_fixed().empty()) strategies_ = space.candidates(Part::strategy, space.own()).all.size();
  const int most_search = search_launches(usual_candidates);
  const auto may_change = [&](const Changes& changes) {
    return space.why_fixed().empty() && !(changes && changes->empty());
  };
  const bool needs_link = run.network.empty() && run.base.ranks > 1 && (strategies_ > 1 || may_change(run.framework));
  shares_ = shares_of(run, {.collective = variables_.empty() ? 0 : search_launches(plan.size()),
                            .strategy = std::min(most_search, search_launches(strategies_)),
                            .framework = may_change(run.framework) ? most_search : 0,
                            .link = needs_link ? 1 : 0,
                            .verify = run.verify.value_or(most_verify)});
}

std::string LiveChain::plan() const {
  const auto sweep = collective_sweep();
  const Plan settings(sweep);
  const int launches =
      shares_.collective + shares_.strategy + shares_.framework + shares_.link + most_verified * shares_.verify;
  Estimate estimate;
  const auto resolved = resolve(sweep, settings.setting(settings.default_point()));
  const auto extent = extent_of(resolved);
  for (int n = 0; n < launches; ++n) estimate.add(sweep, resolved, extent);
  auto text = fmt::format("{} on {} ranks, {} samples in a step\n", tuned_.model, tuned_.ranks, tuned_.global_batch);
  text += fmt::format("  step 1, the collective: {} settings of the transport, {} launches\n",
                      variables_.empty() ? 1 : settings.size(), shares_.collective);
  text += fmt::format("  step 2, the strategy: {} steps, the best ones by prediction in {} launches\n",
                      std::max<std::size_t>(strategies_, 1), shares_.strategy);
  text += fmt::format("  step 3, the framework's communication: {} launches\n", shares_.framework);
  text +=
      fmt::format("  verification: up to {} settings in turn, {} launches of each\n", most_verified, shares_.verify);
  text += fmt::format("{} launches at most", launches);
  if (run_.budget_time)
    text += fmt::format(", and {} at most", format_seconds(std::chrono::duration<double>(*run_.budget_time).count()));
  return text + fmt::format(": {}\n", estimate.in_words({}));
}

Sweep LiveChain::sweep_of(const std::string& question, const TransportSettings& transport) const {
  auto sweep = run_.base;
  sweep.question = question;
  for (const auto& [name, value] : run_.compute) sweep.arguments[name] = value;
  set_transport(transport, sweep);
  return sweep;
}

/// The step's collectives in their number and order, without the computations between them.
Sweep LiveChain::collective_sweep() const {
  auto sweep = sweep_of(fmt::format("Which settings of the transport suit the collectives of {}?", tuned_.model), {});
  sweep.arguments["trace"] = files_.at(likely_.name);
  sweep.arguments["scale-compute"] = "0";
  sweep.variables = variables_;
  return sweep;
}

Stage LiveChain::run(const std::string& name, const std::string& command, Sweep sweep, double share_of_time) {
  if (const auto left = budget_.left_s()) {
    const double for_proof = most_verified * shares_.verify * budget_.longest_s();
    const double seconds = std::max(1.0, share_of_time * (*left - for_proof));
    if (command == "tune") sweep.tuning.budget_time = std::chrono::milliseconds(static_cast<long>(1000 * seconds));
    tell(fmt::format("{}: {} of the budget left\n", name, format_seconds(*left)));
  }
  tell(fmt::format("{}: {}\n", name, sweep.question));
  auto stage = run_stage(folder_ + "/" + name, command, sweep, budget_);
  tuned_.launches += stage.launches();
  return stage;
}

/// One launch measures the link between two hosts, for predictions that choose the candidates.
void LiveChain::measure_network() {
  if (shares_.link == 0) return;
  auto sweep = run_.base;
  sweep.question = "How fast is the link between two hosts?";
  sweep.programs = {Program::link};
  sweep.ranks = 2;
  if (run_.base.ranks > sweep.ranks_per_node.value_or(1)) sweep.ranks_per_node = 1;
  std::erase_if(sweep.arguments, [](const auto& argument) {
    return argument.first != "transport" && target_of(argument.first) != Target::setting;
  });
  set_transport(usual_, sweep);
  sweep.arguments.erase("algorithm");
  sweep.repetitions = 1;
  const auto stage = run("network", "run", sweep, 0);
  double alpha_us = 0, GBps = 0;
  for (const auto& row : rows_of(stage.folder)) {
    if (row.status != Status::ok) continue;
    if (row.algbw_GBps && row.size_bytes > 0) GBps = std::max(GBps, *row.algbw_GBps);
    if (row.time_us_p50 && (alpha_us == 0 || *row.time_us_p50 < alpha_us)) alpha_us = *row.time_us_p50;
  }
  if (GBps > 0) space_.take_link({alpha_us, GBps});
}

void LiveChain::foresee() {
  if (!space_.why_fixed().empty()) return;
  auto list = shortlist(Part::strategy, space_, forecast_, space_.own(), 1);
  if (list.fitting.empty()) return;
  const auto strategy = list.fitting.front();
  likely_ = shortlist(Part::framework, space_, forecast_, strategy, 1, list.fitting).fitting.front();
  files_[likely_.name] = space_.trace_file(likely_);
}

void LiveChain::tune_collective() {
  auto& part = tuned_.parts.emplace_back(PartResult{.part = Part::collective, .candidates = 1});
  auto sweep = collective_sweep();
  const Plan plan(sweep);
  if (!variables_.empty()) part.candidates = plan.size();
  if (shares_.collective == 0 || plan.size() < 2) return;
  sweep.tuning.search = static_cast<std::size_t>(shares_.collective) > plan.size() ? Search::halving : Search::bayesian;
  sweep.tuning.budget_launches = shares_.collective;
  sweep.tuning.verify_launches = 0;
  constexpr double share_of_time = 0.4;
  const auto stage = run("collective", "tune", sweep, share_of_time);
  part.launches = stage.launches();
  best_ = settings_of(variables_, stage.checked.plan.setting(stage.best()));
  part.chosen = difference(best_, usual_);
}

void LiveChain::tune_step(Part which, int launches) {
  auto& part = tuned_.parts.emplace_back(PartResult{.part = which, .candidates = 1});
  if (const auto why = space_.why_fixed(); !why.empty()) {
    part.finding = why;
    return;
  }
  auto list = shortlist(which, space_, forecast_, step_, candidates_for(launches), others_);
  others_ = std::move(list.fitting);
  part = std::move(list.part);
  if (list.all.empty())
    throw BadUsage(Problem{.flag = "change.strategy",
                           .text = "no step fits into the device's memory",
                           .remedy = "allow recomputation, a later stage, or a smaller micro-batch",
                           .place = Place{run_.file, run_.line_of("change.strategy")}});
  const auto before = step_.description;
  if (list.all.size() > 1) {
    auto sweep = sweep_of(which == Part::strategy ? "Which strategy trains fastest, at a constant global batch?"
                                                  : "Which of the framework's own settings hide communication best?",
                          best_);
    std::vector<std::string> files;
    for (const auto& each : list.all) files.push_back(files_[each.name] = space_.trace_file(each));
    sweep.variables = {step_variable(files)};
    sweep.tuning.search = Search::halving;
    sweep.tuning.budget_launches = std::min(launches, most_repeats * static_cast<int>(list.all.size()));
    sweep.tuning.verify_launches = 0;
    const double share_of_time = which == Part::strategy ? 0.6 : 1;
    const auto stage = run(std::string(name(which)), "tune", sweep, share_of_time);
    part.launches = stage.launches();
    step_ = list.all[stage.best()];
  } else {
    step_ = list.all[0];
    files_[step_.name] = space_.trace_file(step_);
  }
  part.chosen = new_changes(step_.description, before);
}

/// The default, the result of each step of the method, and the last one with the transport's usual settings, in turn.
void LiveChain::verify() {
  Verification proof(usual_, best_);
  const auto& own = space_.own();
  const std::size_t chain[]{proof.add(own, false), proof.add(own, true), proof.add(after_strategy_, true),
                            proof.add(step_, true)};
  const auto without = proof.add(step_, false);
  auto sweep = sweep_of("Is the result faster than the default?", usual_);
  proof.vary(files_, sweep);
  sweep.repetitions = shares_.verify;
  proof.read(files_, run("verification", "run", sweep, 1));
  tuned_.waterfall.push_back(point_of("default", proof[0]));
  for (std::size_t i = 1; i < std::size(chain); ++i) {
    auto& part = tuned_.parts[i - 1];
    tuned_.waterfall.push_back(point_of(std::string(name(part.part)), proof[chain[i]]));
    if (chain[i] != chain[i - 1]) part.gain = gain_of(proof.compare(chain[i], chain[i - 1]));
    if (!part.finding.empty()) continue;
    if (chain[i] != chain[i - 1] && !proof.compare(chain[i], chain[i - 1])) {
      part.finding =
          fmt::format("{} looked faster, but the budget ended before this was verified", in_words(part.chosen));
      continue;
    }
    part.finding = part.chosen.empty() ? "keep the default: no setting that was launched looked faster"
                                       : fmt::format("{}: {}", in_words(part.chosen), in_words(part.gain));
  }
  if (chain[3] != without && chain[3] != chain[1]) tuned_.collective_at_end = gain_of(proof.compare(chain[3], without));
  decide(proof, chain[3]);
}

void LiveChain::decide(const Verification& proof, std::size_t last) {
  auto best = proof.best();
  if (best.number == 0 && !own_fits_) best.number = last;
  const auto& chosen = proof[best.number];
  tuned_.best = chosen.step.description;
  tuned_.memory.best_bytes = chosen.step.memory_bytes();
  tuned_.whole = gain_of(best.difference);
  tuned_.ready = ready_settings(chosen.transport, usual_);
  auto changes = chosen.step.description.changes;
  changes.merge(difference(chosen.transport, usual_));
  if (best.difference) {
    tuned_.verdict =
        fmt::format("Set {}: {} than the default, based on {} and {} fresh launches in alternation.", in_words(changes),
                    in_words(*best.difference), chosen.rows.size(), proof[0].rows.size());
  } else if (best.number != 0) {
    tuned_.verdict = fmt::format("Set {}: the default does not fit into the device's memory.", in_words(changes));
  } else if (!best.doubts.empty()) {
    tuned_.verdict = fmt::format("Keep the default: the gains are in doubt: {}.", ringmark::in_words(best.doubts));
  } else {
    tuned_.verdict = fmt::format("Keep the default: no setting {}.",
                                 proof.size() == 1 ? "that was launched looked faster" : "was shown to be faster");
  }
  tuned_.ready.evidence = tuned_.verdict;
}

TunedRun LiveChain::go() {
  measure_network();
  foresee();
  tune_collective();
  tune_step(Part::strategy, shares_.strategy);
  after_strategy_ = step_;
  tune_step(Part::framework, shares_.framework);
  verify();
  tuned_.seconds = budget_.spent_s();
  return tuned_;
}

}  // namespace ringmark::sweep

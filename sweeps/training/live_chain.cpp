#include "sweeps/training/live_chain.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "base/write_file.hpp"
#include "replay/trace/trace_file.hpp"
#include "results/comparison.hpp"
#include "results/csv.hpp"
#include "sweeps/argument_check.hpp"
#include "sweeps/command.hpp"
#include "sweeps/estimate.hpp"
#include "sweeps/launch_options.hpp"
#include "sweeps/progress.hpp"
#include "sweeps/training/predicted_chain.hpp"

namespace ringmark::sweep {
namespace {

/// Launches that a search of so many settings is worth.
int search_launches(std::size_t settings) {
  constexpr std::size_t most = 60;
  return settings < 2 ? 0 : static_cast<int>(std::min(most, 2 * settings));
}

/// Candidates for which the launches of a search by halving are enough.
std::size_t candidates_for(int launches) { return static_cast<std::size_t>(std::max(launches / 2, 1)); }

constexpr std::size_t usual_candidates = 8;
/// Launches of a search for each candidate, where there are few.
constexpr int most_repeats = 3;

Variable trace_variable(const std::vector<std::string>& files) {
  Variable variable{"trace", Target::flag, {}, false, 1, {}};
  variable.values.assign(files.begin(), files.end());
  variable.value_lines.assign(files.size(), 1);
  return variable;
}

std::optional<double> median_of(const std::vector<Record>& rows, std::optional<double> StepResult::*figure) {
  std::vector<double> values;
  for (const auto& row : rows) {
    if (row.step && (*row.step).*figure) values.push_back(*((*row.step).*figure));
  }
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

std::vector<double> times_us(const std::vector<Record>& rows) {
  std::vector<double> times;
  for (const auto& row : rows) times.push_back(*row.time_us_p50);
  return times;
}

Gain gain_of(const Difference& difference) { return {difference.ratio, difference.interval}; }

std::vector<Caveat> caveats_in(const std::vector<Record>& rows) {
  CaveatTally tally;
  for (const auto& row : rows) tally.add(caveats_of(row));
  return tally.caveats();
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
      tuned_(begin_tuned_run(space)),
      own_fits_(fits(space.own(), device_bytes_of(space.options()))) {
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
  text += fmt::format("  step 2, the strategy: {} steps, the best by prediction in {} launches\n",
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

/// The step's own collectives in their number and order, without the computations between them.
Sweep LiveChain::collective_sweep() const {
  auto sweep = sweep_of(fmt::format("Which settings of the transport suit the collectives of {}?", tuned_.model), {});
  sweep.arguments["trace"] = trace_file(space_.own());
  sweep.arguments["scale-compute"] = "0";
  sweep.variables = variables_;
  return sweep;
}

std::string LiveChain::trace_file(const Candidate& candidate) const {
  const auto path = std::filesystem::absolute(space_.folder() + "/" + candidate.name + ".jsonl").string();
  std::ostringstream text;
  replay::write_trace(candidate.trace, text);
  const auto before = read_if_readable(path);
  if (before == text.view()) return path;
  if (!before.empty())
    throw BadUsage(
        fmt::format("{} differs from the step that {} describes now: the run was begun with other files; undo "
                    "that, or choose another folder",
                    path, run_.file));
  write_file(path, text.str());
  return path;
}

Stage LiveChain::run(const std::string& name, const std::string& command, Sweep sweep, double share_of_time) {
  if (const auto left = budget_.left_s()) {
    const double for_proof = most_verified * shares_.verify * budget_.longest_s();
    const double seconds = std::max(1.0, share_of_time * (*left - for_proof));
    if (command == "tune") sweep.tuning.budget_time = std::chrono::milliseconds(static_cast<long>(1000 * seconds));
    tell(fmt::format("{}: {} of the budget are left\n", name, format_seconds(*left)));
  }
  tell(fmt::format("{}: {}\n", name, sweep.question));
  auto stage = run_stage(folder_ + "/" + name, command, sweep, budget_);
  tuned_.launches += stage.launches();
  return stage;
}

/// One launch tells the link between two hosts, for predictions that choose the candidates.
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
  set_transport(best_, sweep);
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
    for (const auto& each : list.all) files.push_back(trace_file(each));
    sweep.variables = {trace_variable(files)};
    sweep.tuning.search = Search::halving;
    sweep.tuning.budget_launches = std::min(launches, most_repeats * static_cast<int>(list.all.size()));
    sweep.tuning.verify_launches = 0;
    const double share_of_time = which == Part::strategy ? 0.6 : 1;
    const auto stage = run(std::string(name(which)), "tune", sweep, share_of_time);
    part.launches = stage.launches();
    step_ = list.all[stage.best()];
  } else {
    step_ = list.all[0];
  }
  part.chosen = new_changes(step_.description, before);
}

/// The default and the result of each step of the method, in turn.
void LiveChain::verify() {
  const auto& own = space_.own();
  settings_ = {{own, usual_}};
  const auto add = [&](const Candidate& step, const TransportSettings& transport) {
    const bool is_there = std::any_of(settings_.begin(), settings_.end(), [&](const Setting& each) {
      return each.step.name == step.name && each.transport == transport;
    });
    if (!is_there) settings_.push_back({step, transport});
  };
  add(own, best_);
  add(after_strategy_, best_);
  add(step_, best_);
  add(step_, usual_);
  auto sweep = sweep_of("Is the result faster than the default?", usual_);
  std::vector<std::string> files;
  for (const auto& setting : settings_) {
    if (const auto file = trace_file(setting.step); std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  }
  sweep.variables = {trace_variable(files)};
  const auto changed = difference(best_, usual_);
  for (const auto& [name, value] : changed) {
    sweep.arguments.erase(name);
    sweep.environment.erase(name);
    sweep.variables.push_back({name, target_of(name), {usual_.at(name), best_.at(name)}, false, 1, {1, 1}});
  }
  if (changed.size() > 1) {
    auto& zip = sweep.zips.emplace_back();
    for (const auto& [name, value] : changed) zip.push_back(name);
  }
  for (const auto& file : files) {
    for (const auto* transport : {&usual_, &best_}) {
      const bool is_wanted = std::any_of(settings_.begin(), settings_.end(), [&](const Setting& each) {
        return trace_file(each.step) == file && each.transport == *transport;
      });
      if (is_wanted || changed.empty()) continue;
      const auto& first = changed.begin()->first;
      sweep.exclusions.push_back({{"trace", {file}}, {first, {transport->at(first)}}});
    }
  }
  sweep.repetitions = shares_.verify;
  const auto stage = run("verification", "run", sweep, 1);
  std::map<std::size_t, std::size_t> setting_of_launch;
  for (const auto& done : stage.folder.journal().done) {
    const auto values = stage.checked.plan.setting(done.point);
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      const bool has_transport = std::all_of(changed.begin(), changed.end(), [&](const auto& each) {
        const auto& variables = stage.checked.sweep.variables;
        const auto at = std::find_if(variables.begin(), variables.end(),
                                     [&](const Variable& variable) { return variable.name == each.first; });
        return values[static_cast<std::size_t>(at - variables.begin())] == settings_[i].transport.at(each.first);
      });
      if (values[0] == trace_file(settings_[i].step) && has_transport) setting_of_launch[done.launch] = i;
    }
  }
  std::vector<std::vector<Record>> rows(settings_.size());
  for (auto& row : rows_of(stage.folder)) {
    const auto found = setting_of_launch.find(row.run_id.launch.value_or(0));
    const bool is_usable =
        row.status == Status::ok && row.time_us_p50.value_or(0) > 0 && row.time_sliced.value_or(0) == 0;
    if (found != setting_of_launch.end() && is_usable) rows[found->second].push_back(std::move(row));
  }
  decide(rows);
}

void LiveChain::decide(const std::vector<std::vector<Record>>& rows) {
  const auto index_of = [&](const Candidate& step, const TransportSettings& transport) {
    const auto found = std::find_if(settings_.begin(), settings_.end(), [&](const Setting& each) {
      return each.step.name == step.name && each.transport == transport;
    });
    return static_cast<std::size_t>(found - settings_.begin());
  };
  const auto compare = [&](std::size_t one, std::size_t with) -> Difference {
    if (one == with || rows[one].empty() || rows[with].empty()) return {};
    return compare_launches({{times_us(rows[one]), times_us(rows[with])}}).at(0);
  };
  // The verdict corrects for all comparisons with the default.
  std::vector<LaunchTimes> pairs;
  std::vector<std::size_t> compared;
  for (std::size_t i = 1; i < settings_.size(); ++i) {
    if (rows[0].empty() || rows[i].empty()) continue;
    pairs.push_back({times_us(rows[i]), times_us(rows[0])});
    compared.push_back(i);
  }
  const auto differences = compare_launches(pairs);
  std::size_t best = 0;
  const Difference* best_difference = nullptr;
  std::vector<Caveat> doubts;
  for (std::size_t n = 0; n < compared.size(); ++n) {
    if (!beats(differences[n], best_difference)) continue;
    auto caveats = caveats_in(rows[compared[n]]);
    merge(caveats, caveats_in(rows[0]));
    if (forbid_decision(caveats)) {
      doubts = caveats;
      continue;
    }
    best = compared[n];
    best_difference = &differences[n];
  }
  const auto& own = space_.own();
  const std::size_t chain[]{0, index_of(own, best_), index_of(after_strategy_, best_), index_of(step_, best_)};
  if (best == 0 && !own_fits_) best = chain[3];
  for (std::size_t i = 0; i < std::size(chain); ++i) {
    const auto& of_point = rows[chain[i]];
    const auto interval_us = of_point.empty() ? std::nullopt : Sorted(times_us(of_point)).median_interval();
    tuned_.waterfall.push_back(
        {.name = i == 0 ? "default" : std::string(name(tuned_.parts[i - 1].part)),
         .step_ms = of_point.empty() ? 0 : median(times_us(of_point)) / 1e3,
         .interval_ms =
             interval_us ? std::optional(Interval{interval_us->low / 1e3, interval_us->high / 1e3}) : std::nullopt,
         .exposed_ms = {},
         .samples_per_s = median_of(of_point, &StepResult::samples_per_s),
         .launches = of_point.size()});
    if (const auto exposed = median_of(of_point, &StepResult::exposed_us))
      tuned_.waterfall.back().exposed_ms = *exposed / 1e3;
    if (i == 0) continue;
    auto& part = tuned_.parts[i - 1];
    if (chain[i] != chain[i - 1]) part.gain = gain_of(compare(chain[i], chain[i - 1]));
    if (!part.finding.empty()) continue;
    part.finding = part.chosen.empty() ? "keep the default: nothing that was launched looked faster"
                                       : fmt::format("{}: {}", in_words(part.chosen), in_words(part.gain));
  }
  const auto without = index_of(step_, usual_);
  if (chain[3] != without && chain[3] != chain[1]) tuned_.collective_at_end = gain_of(compare(chain[3], without));
  const auto& chosen = settings_[best];
  tuned_.best = chosen.step.description;
  tuned_.memory.best_bytes = chosen.step.memory_bytes();
  if (best_difference != nullptr) tuned_.whole = gain_of(*best_difference);
  for (const auto& [name, value] : chosen.transport) {
    if (value == usual_.at(name)) continue;
    if (target_of(name) == Target::environment) {
      tuned_.ready.environment[name] = value;
    } else if (value) {
      tuned_.ready.arguments.push_back(argument_of(name, *value));
    }
  }
  const auto words = fmt::format("{}{}", in_words(chosen.step.description.changes),
                                 tuned_.ready.are_none() ? "" : " " + in_words(difference(chosen.transport, usual_)));
  if (best_difference != nullptr) {
    tuned_.verdict = fmt::format("Set {}: {} than the default, over {} and {} fresh launches in turn.", words,
                                 in_words(*best_difference), rows[best].size(), rows[0].size());
  } else if (best != 0) {
    tuned_.verdict = fmt::format("Set {}: the default does not fit into the device's memory.", words);
  } else if (!doubts.empty()) {
    tuned_.verdict = fmt::format("Keep the default: what is faster is in doubt: {}.", ringmark::in_words(doubts));
  } else if (settings_.size() == 1) {
    tuned_.verdict = "Keep the default: nothing that was launched looked faster.";
  } else {
    tuned_.verdict = "Keep the default: nothing was shown to be faster.";
  }
  tuned_.ready.evidence = tuned_.verdict;
}

TunedRun LiveChain::go() {
  tune_collective();
  measure_network();
  tune_step(Part::strategy, shares_.strategy);
  after_strategy_ = step_;
  tune_step(Part::framework, shares_.framework);
  verify();
  tuned_.seconds = budget_.spent_s();
  return tuned_;
}

}  // namespace ringmark::sweep

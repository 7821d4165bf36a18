#include "sweeps/training/verification.hpp"

#include <algorithm>

#include "sweeps/run/sweep_run.hpp"

namespace ringmark::sweep {
namespace {

std::vector<Caveat> caveats_in(const std::vector<Record>& rows) {
  CaveatTally tally;
  for (const auto& row : rows) tally.add(caveats_of(row));
  return tally.caveats();
}

bool is_usable(const Record& row) {
  return row.status == Status::ok && row.time_us_p50.value_or(0) > 0 && row.time_sliced.value_or(0) == 0;
}

}  // namespace

std::vector<double> VerifiedSetting::times_us() const {
  std::vector<double> times;
  for (const auto& row : rows) times.push_back(*row.time_us_p50);
  return times;
}

std::optional<double> VerifiedSetting::median_of(std::optional<double> StepResult::*figure) const {
  std::vector<double> values;
  for (const auto& row : rows) {
    if (row.step && (*row.step).*figure) values.push_back(*((*row.step).*figure));
  }
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

std::size_t Verification::add(const Candidate& step, bool has_best) {
  const auto& transport = has_best ? best_ : usual_;
  const auto found = std::find_if(settings_.begin(), settings_.end(), [&](const VerifiedSetting& each) {
    return each.step.name == step.name && each.transport == transport;
  });
  const auto number = static_cast<std::size_t>(found - settings_.begin());
  if (found == settings_.end()) settings_.push_back({step, transport});
  return number;
}

void Verification::vary(const std::map<std::string, std::string>& files, Sweep& sweep) const {
  std::vector<std::string> steps;
  for (const auto& setting : settings_) {
    if (const auto& file = files.at(setting.step.name); std::find(steps.begin(), steps.end(), file) == steps.end())
      steps.push_back(file);
  }
  sweep.variables = {step_variable(steps)};
  const auto changed = difference(best_, usual_);
  for (const auto& [name, value] : changed) {
    sweep.arguments.erase(name);
    sweep.environment.erase(name);
    sweep.variables.push_back({name, target_of(name), {usual_.at(name), best_.at(name)}, false, 1, {1, 1}});
  }
  if (changed.empty()) return;
  if (changed.size() > 1) {
    auto& zip = sweep.zips.emplace_back();
    for (const auto& [name, value] : changed) zip.push_back(name);
  }
  const auto& first = changed.begin()->first;
  for (const auto& file : steps) {
    for (const auto* transport : {&usual_, &best_}) {
      const bool is_wanted = std::any_of(settings_.begin(), settings_.end(), [&](const VerifiedSetting& each) {
        return files.at(each.step.name) == file && each.transport == *transport;
      });
      if (!is_wanted) sweep.exclusions.push_back({{"trace", {file}}, {first, {transport->at(first)}}});
    }
  }
}

void Verification::add_row(std::size_t number, Record row) {
  if (is_usable(row)) settings_[number].rows.push_back(std::move(row));
}

void Verification::read(const std::map<std::string, std::string>& files, const Stage& stage) {
  const auto& variables = stage.checked.sweep.variables;
  std::map<std::size_t, std::size_t> by_launch;
  for (const auto& done : stage.folder.journal().done) {
    const auto values = settings_of(variables, stage.checked.plan.setting(done.point));
    for (std::size_t number = 0; number < settings_.size(); ++number) {
      const auto& setting = settings_[number];
      const bool has_values = std::all_of(values.begin(), values.end(), [&](const auto& each) {
        return each.second == (each.first == "trace" ? files.at(setting.step.name) : setting.transport.at(each.first));
      });
      if (has_values) by_launch[done.launch] = number;
    }
  }
  const auto& head = *stage.folder.journal().head;
  for (auto& row : rows_of(stage.folder)) {
    const auto found = by_launch.find(launch_of(head, row.run_id).value_or(0));
    if (found != by_launch.end()) add_row(found->second, std::move(row));
  }
}

std::optional<Difference> Verification::compare(std::size_t one, std::size_t with) const {
  if (settings_[one].rows.empty() || settings_[with].rows.empty()) return std::nullopt;
  return compare_launches({{settings_[one].times_us(), settings_[with].times_us()}}).at(0);
}

Verification::Best Verification::best() const {
  const auto& usual = settings_[0];
  std::vector<LaunchTimes> pairs;
  std::vector<std::size_t> compared;
  for (std::size_t i = 1; i < settings_.size(); ++i) {
    if (usual.rows.empty() || settings_[i].rows.empty()) continue;
    pairs.push_back({settings_[i].times_us(), usual.times_us()});
    compared.push_back(i);
  }
  const auto differences = compare_launches(pairs);
  const auto doubts_about = [&](std::size_t number) {
    auto caveats = caveats_in(settings_[number].rows);
    merge(caveats, caveats_in(usual.rows));
    return forbid_decision(caveats) ? caveats : std::vector<Caveat>();
  };
  Best best;
  for (std::size_t n = 0; n < compared.size(); ++n) {
    if (!beats(differences[n], best.difference ? &*best.difference : nullptr)) continue;
    if (const auto doubts = doubts_about(compared[n]); !doubts.empty()) {
      merge(best.doubts, doubts);
      continue;
    }
    best.number = compared[n];
    best.difference = differences[n];
  }
  // Leave out changes that these launches do not show to help.
  for (std::size_t n = 0; n < compared.size(); ++n) {
    const auto number = compared[n];
    if (differences[n].verdict != Verdict::faster || changes(number) >= changes(best.number)) continue;
    if (!doubts_about(number).empty()) continue;
    const auto over_it = compare(best.number, number);
    if (over_it && over_it->verdict == Verdict::faster) continue;
    best.number = number;
    best.difference = differences[n];
  }
  return best;
}

std::size_t Verification::changes(std::size_t number) const {
  const auto& [step, transport, rows] = settings_[number];
  return step.description.changes.size() + difference(transport, usual_).size();
}

}  // namespace ringmark::sweep

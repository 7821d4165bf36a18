#include "sweeps/training/stage.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/system/files.hpp"
#include "results/files/provenance.hpp"
#include "sweeps/run/machines.hpp"
#include "sweeps/run/progress.hpp"
#include "sweeps/run/runner.hpp"
#include "sweeps/training/sweep_text.hpp"

namespace ringmark::sweep {

namespace fs = std::filesystem;

namespace {

/// Stops a tuning in which nothing works, not even the default.
void refuse_hopeless(const Folder& folder) {
  constexpr std::size_t enough = 2;
  const auto& done = folder.journal().done;
  const bool works = std::any_of(done.begin(), done.end(), [](const Done& each) { return each.status == Status::ok; });
  if (done.size() < enough || works) return;
  const auto rows = rows_of(folder);
  const auto last = std::find_if(rows.rbegin(), rows.rend(), [](const Record& row) { return !row.detail.empty(); });
  throw CannotGoOn(fmt::format("{}: no launch has succeeded: {}; fix that, and begin in another folder", folder.path(),
                               last == rows.rend() ? "no reason was recorded" : last->detail));
}

}  // namespace

std::size_t Stage::best() const {
  const Space space(checked.sweep, checked.plan);
  std::vector<Trial> trials;
  for (const auto& done : folder.journal().done) trials.push_back({done.point, done.score, is_given_up(done)});
  const auto& tuning = checked.sweep.tuning;
  return make_strategy(tuning.search, space, checked.sweep.seed, tuning.budget_launches)
      ->best(trials)
      .value_or(checked.plan.default_point());
}

Stage run_stage(const std::string& path, const std::string& command, const Sweep& sweep, Budget& budget) {
  const auto file = path + "/sweep.yaml";
  const auto journal = read_if_readable(path + "/journal");
  const bool is_begun = journal.find('\n') != std::string::npos;
  const auto open = [&] {
    if (is_begun) return Folder::open(path);
    return Folder::create(path, {make_run_id(), command, fs::absolute(file).string(), "", {}, machines_of(sweep)},
                          text_of(sweep));
  };
  auto folder = open();
  if (is_begun) refuse_other_machines(path, folder.journal().head->machines, machines_of(sweep));
  Stage stage{check_sweep(folder.sweep_text(), file), std::move(folder)};
  budget.pause();
  const auto next_launch = [&] {
    refuse_hopeless(stage.folder);
    return budget.next_launch();
  };
  try {
    static_cast<void>(run_launches(stage.checked, stage.folder, nullptr, next_launch));
  } catch (const BudgetSpent& end) {
    stage.ended_by_budget = true;
    tell(fmt::format("ringmark-sweep: {}: {}\n", path, end.what()));
  }
  refuse_hopeless(stage.folder);
  return stage;
}

double seconds_of_stages(const std::string& folder) {
  double seconds = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto path = entry.path().string() + "/journal";
    if (!fs::is_regular_file(path, error)) continue;
    for (const auto& done : parse_journal(read_if_readable(path), path).done) seconds += done.seconds;
  }
  return seconds;
}

}  // namespace ringmark::sweep

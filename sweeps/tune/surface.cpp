#include "sweeps/tune/surface.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "results/csv.hpp"
#include "sweeps/command.hpp"
#include "sweeps/launch_rows.hpp"
#include "sweeps/objective.hpp"
#include "transports/errors.hpp"

namespace ringmark::sweep {
namespace {

/// A variable may be a column of the contract, which shows what came of `unset`.
std::string cell_of(const Record& row, const std::string& variable) {
  const auto found = row.extra.find(variable);
  if (found != row.extra.end()) return found->second;
  if (variable == "program") return row.collective;
  const auto header = record_header();
  const auto column = std::find(header.begin(), header.end(), variable);
  if (column == header.end()) throw BadUsage(fmt::format("the surface has no column for the variable '{}'", variable));
  return to_csv(row)[static_cast<std::size_t>(column - header.begin())];
}

}  // namespace

Surface::Surface(const std::vector<Record>& rows, const Sweep& sweep, const Plan& plan) : scores_(plan.size()) {
  using Key = std::vector<std::string>;
  std::map<Key, std::map<std::string, std::vector<Record>>> launches;  // by setting, by run
  for (const auto& row : rows) {
    Key key;
    for (const auto& variable : sweep.variables) key.push_back(cell_of(row, variable.name));
    launches[key][row.run_id].push_back(row);
  }
  for (std::size_t point = 0; point < plan.size(); ++point) {
    const auto setting = plan.setting(point);
    auto blank = blank_row(resolve(sweep, setting), "", 0);
    for (std::size_t v = 0; v < setting.size(); ++v) {
      const auto& name = sweep.variables[v].name;
      const auto header = record_header();
      if (std::find(header.begin(), header.end(), name) == header.end() && name != "program")
        blank.extra[name] = to_text(setting[v]);
    }
    Key key;
    for (const auto& variable : sweep.variables) key.push_back(cell_of(blank, variable.name));
    const auto found = launches.find(key);
    if (found == launches.end()) {
      throw BadUsage(fmt::format("the surface has no row for {}: record it with 'ringmark-sweep run' of the same sweep",
                                 describe(sweep.variables, setting)));
    }
    for (const auto& [run, its_rows] : found->second) scores_[point].push_back(score(sweep.tuning.objective, its_rows));
  }
}

Trial Surface::draw(std::size_t point, std::mt19937_64& random) const {
  return {point, scores_[point][random() % scores_[point].size()]};
}

std::optional<double> Surface::mean(std::size_t point) const {
  double sum = 0;
  for (const auto& each : scores_[point]) {
    if (!each) return std::nullopt;
    sum += *each;
  }
  return sum / static_cast<double>(scores_[point].size());
}

std::size_t Surface::best() const {
  std::size_t best = 0;
  for (std::size_t point = 1; point < scores_.size(); ++point) {
    if (const auto here = mean(point); here && (!mean(best) || *here < *mean(best))) best = point;
  }
  return best;
}

}  // namespace ringmark::sweep

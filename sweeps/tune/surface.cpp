#include "sweeps/tune/surface.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "results/files/result_file.hpp"
#include "results/schema/columns.hpp"
#include "sweeps/launch/command.hpp"
#include "sweeps/launch/launch_options.hpp"
#include "sweeps/tune/objective.hpp"

namespace ringmark::sweep {
namespace {

using Key = std::vector<std::string>;

Key key_of(const Record& record, const Sweep& sweep) {
  Key key;
  // A variable may be a column of the contract, which shows the actual value for `unset`.
  for (const auto& variable : sweep.variables)
    key.push_back(cell_of(record, variable.target == Target::program ? "collective" : variable.name).value_or(""));
  return key;
}

}  // namespace

Surface::Surface(std::string_view csv, const Sweep& sweep, const Plan& plan) : scores_(plan.size()) {
  std::vector<std::string> needed{"run_id", "size_bytes", "status", sweep.tuning.objective.column};
  for (const auto& variable : sweep.variables)
    needed.push_back(variable.target == Target::program ? "collective" : variable.name);
  std::vector<std::string_view> header;
  CsvScanner first_row(csv);  // owns text to which the header's cells may refer
  first_row.next(header);
  for (const auto& name : needed) {
    if (std::find(header.begin(), header.end(), name) == header.end())
      throw BadUsage(
          fmt::format("the surface has no column '{}': give the results.csv of a sweep with the same variables", name));
  }
  std::map<Key, std::map<std::string, std::vector<Record>>> launches;  // by setting, by run
  for (auto& record : read_records(csv, LackingColumn::is_blank)) {
    auto& launch = launches[key_of(record, sweep)][record.run_id];
    launch.push_back(std::move(record));
  }
  for (std::size_t point = 0; point < plan.size(); ++point) {
    const auto setting = plan.setting(point);
    auto wanted = planned_row(resolve(sweep, setting));
    for (std::size_t v = 0; v < setting.size(); ++v) {
      if (!is_contract_column(sweep.variables[v].name)) wanted.extra[sweep.variables[v].name] = to_text(setting[v]);
    }
    const auto found = launches.find(key_of(wanted, sweep));
    if (found == launches.end()) {
      throw BadUsage(fmt::format("the surface has no row for {}: record it with 'ringmark-sweep run' of the same sweep",
                                 describe(sweep.variables, setting)));
    }
    for (const auto& [run, rows] : found->second) scores_[point].push_back(score(sweep.tuning.objective, rows));
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

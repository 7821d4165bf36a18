#include "sweeps/answer/answer.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/schema/benchmark_case.hpp"
#include "results/schema/columns.hpp"

namespace ringmark::sweep {
namespace {

/// Some of a sweep's variables: the choices, or all others.
struct Variables {
  std::vector<std::size_t> numbers;  ///< indices into the sweep's variables

  /// The index of each variable's value at a point.
  std::vector<std::size_t> at(const Plan& plan, std::size_t point) const {
    const auto indices = plan.indices(point);
    std::vector<std::size_t> chosen;
    for (const auto v : numbers) chosen.push_back(indices[v]);
    return chosen;
  }
};

std::string words_of(const Sweep& sweep, const Variables& variables, const std::vector<std::size_t>& values,
                     const char* separator, bool is_all) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& variable = sweep.variables[variables.numbers[i]];
    if (is_all || !is_in_case(variable.name))
      words.push_back(variable.name + "=" + to_text(variable.values[values[i]]));
  }
  return fmt::format("{}", fmt::join(words, separator));
}

/// The rows of one setting, by launch.
struct Launches {
  std::map<std::size_t, std::vector<double>> by_launch;
  std::set<std::string> networks;
  std::optional<Transport> transport;  ///< the first row's
  std::optional<MemoryKind> memory;
  CaveatTally caveats;

  void add(const Record& row) {
    if (by_launch.empty()) transport = row.transport, memory = row.memory;
    if (row.network) networks.insert(name(*row.network));
    by_launch[row.launch.value_or(0)].push_back(*row.time_us_p50);
    caveats.add(caveats_of(row));
  }

  std::vector<double> times_us() const {
    std::vector<double> times;
    for (const auto& [launch, rows] : by_launch) times.push_back(geometric_mean(rows));
    return times;
  }
};

struct Key {
  std::string case_name;
  std::uint64_t size_bytes;
  std::vector<std::size_t> values;  ///< of the variables that are not choices

  auto operator<=>(const Key&) const = default;
};

/// By the values of the choices.
using Settings = std::map<std::vector<std::size_t>, Launches>;

std::string refusal_of(const Launches& ours, const Launches& baseline) {
  const bool is_path_asked = ours.transport != baseline.transport || ours.memory != baseline.memory;
  return path_mismatch(ours.networks, baseline.networks, is_path_asked);
}

/// Fills in the differences from the default.
void compare_all(std::vector<MeasuredCase>& cases) {
  std::vector<LaunchTimes> pairs;
  std::vector<MeasuredSetting*> compared;
  for (auto& measured : cases) {
    if (!measured.default_setting) continue;
    const auto& baseline = measured.settings[*measured.default_setting];
    for (auto& setting : measured.settings) {
      if (&setting == &baseline || !setting.refusal.empty()) continue;
      pairs.push_back({setting.times_us, baseline.times_us});
      compared.push_back(&setting);
    }
  }
  const auto differences = compare_launches(pairs);
  for (std::size_t i = 0; i < compared.size(); ++i) compared[i]->difference = differences[i];
}

/// Sorts rows by the case that they measured and by setting.
class AnswerBuilder {
 public:
  AnswerBuilder(const Sweep& sweep, const Plan& plan, const std::vector<Done>& done) : sweep_(sweep), plan_(plan) {
    for (std::size_t v = 0; v < sweep.variables.size(); ++v) {
      (is_choice(sweep.variables[v].name) ? choices_ : others_).numbers.push_back(v);
      if (sweep.variables[v].name != "groups") but_groups_.numbers.push_back(v);
    }
    default_values_ = choices_.at(plan, plan.default_point());
    for (const auto& each : done) point_of_[each.launch] = each.point;
  }

  void add(const Record& row) {
    const auto found = point_of_.find(row.launch.value_or(0));
    if (found == point_of_.end()) return;
    const auto point = found->second;
    if (row.status != Status::ok) {
      leave_out(row, point);
    } else if (row.time_us_p50.value_or(0) <= 0 || row.size_bytes == 0 || row.ranks < 1) {
      return;
    } else if (row.time_sliced.value_or(0) > 0) {
      ++time_sliced_;
    } else {
      const Key key{case_of(row), row.size_bytes, others_.at(plan_, point)};
      measured_[key][choices_.at(plan_, point)].add(row);
      group_times_.add(row, words_of(sweep_, but_groups_, but_groups_.at(plan_, point), " ", false));
    }
  }

  Answer answer() const {
    Answer answer{sweep_.question, name_of(default_values_), {}, time_sliced_, {}, group_times_.slowdowns()};
    for (const auto& [key, settings] : measured_) answer.cases.push_back(measured_case(key, settings));
    compare_all(answer.cases);
    for (const auto& [key, each] : left_out_) answer.left_out.push_back(each);
    return answer;
  }

 private:
  std::string name_of(const std::vector<std::size_t>& values) const {
    return values.empty() ? "the only setting" : words_of(sweep_, choices_, values, " ", true);
  }

  void leave_out(const Record& row, std::size_t point) {
    const auto setting = name_of(choices_.at(plan_, point));
    ++left_out_.try_emplace({setting, row.status}, LeftOut{setting, row.status, 0, row.detail}).first->second.rows;
  }

  MeasuredCase measured_case(const Key& key, const Settings& settings) const {
    const auto also = words_of(sweep_, others_, key.values, ", ", false);
    MeasuredCase measured{key.case_name + (also.empty() ? "" : ", " + also), key.size_bytes, {}, {}};
    const auto baseline = settings.find(default_values_);
    for (const auto& [values, launches] : settings) {
      const bool is_default = values == default_values_;
      if (is_default) measured.default_setting = measured.settings.size();
      const bool is_compared = !is_default && baseline != settings.end();
      measured.settings.push_back({.name = name_of(values),
                                   .times_us = launches.times_us(),
                                   .difference = {},
                                   .refusal = is_compared ? refusal_of(launches, baseline->second) : "",
                                   .caveats = launches.caveats.caveats()});
    }
    return measured;
  }

  const Sweep& sweep_;
  const Plan& plan_;
  Variables choices_, others_, but_groups_;
  std::vector<std::size_t> default_values_;
  std::map<std::size_t, std::size_t> point_of_;  ///< by launch
  std::map<Key, Settings> measured_;
  std::map<std::pair<std::string, Status>, LeftOut> left_out_;
  GroupTimes group_times_;
  std::size_t time_sliced_ = 0;  ///< number of rows
};

}  // namespace

const MeasuredSetting& MeasuredCase::best() const {
  const MeasuredSetting* best = nullptr;
  for (const auto& each : settings) {
    if (each.difference && !is_doubted(each) && beats(*each.difference, best == nullptr ? nullptr : &*best->difference))
      best = &each;
  }
  if (best != nullptr) return *best;
  return *std::min_element(settings.begin(), settings.end(),
                           [](const auto& a, const auto& b) { return median(a.times_us) < median(b.times_us); });
}

bool MeasuredCase::is_doubted(const MeasuredSetting& setting) const {
  return forbid_decision(setting.caveats) || (default_setting && forbid_decision(settings[*default_setting].caveats));
}

std::vector<Caveat> caveats_of(const std::vector<Record>& rows, const std::vector<Done>& done,
                               const std::set<std::size_t>& points) {
  std::set<std::size_t> launches;
  for (const auto& each : done) {
    if (points.contains(each.point)) launches.insert(each.launch);
  }
  CaveatTally tally;
  for (const auto& row : rows) {
    if (launches.contains(row.launch.value_or(0))) tally.add(caveats_of(row));
  }
  return tally.caveats();
}

Answer answer(const Sweep& sweep, const Plan& plan, const std::vector<Record>& rows, const std::vector<Done>& done) {
  AnswerBuilder builder(sweep, plan, done);
  for (const auto& row : rows) builder.add(row);
  return builder.answer();
}

}  // namespace ringmark::sweep

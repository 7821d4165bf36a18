#include "sweeps/answer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_table.hpp"
#include "base/units.hpp"
#include "base/with_count.hpp"
#include "results/caveat_lines.hpp"
#include "results/column_kinds.hpp"
#include "results/thing.hpp"

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

/// True if a row's own columns give the variable's value, so that a thing's name need not repeat it.
bool is_told_by_the_row(const std::string& variable) {
  constexpr std::array told{"program", "ranks", "sizes", "datatype", "op",   "in-place",
                            "timing",  "test",  "pairs", "groups",   "start"};
  return std::find(told.begin(), told.end(), variable) != told.end();
}

std::string words_of(const Sweep& sweep, const Variables& variables, const std::vector<std::size_t>& values,
                     const char* separator, bool is_all) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& variable = sweep.variables[variables.numbers[i]];
    if (is_all || !is_told_by_the_row(variable.name))
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
    by_launch[row.run_id.launch.value_or(0)].push_back(*row.time_us_p50);
    caveats.add(caveats_of(row));
  }

  std::vector<double> times_us() const {
    std::vector<double> times;
    for (const auto& [launch, rows] : by_launch) times.push_back(geometric_mean(rows));
    return times;
  }
};

struct Key {
  std::string thing;
  std::uint64_t size_bytes;
  std::vector<std::size_t> values;  ///< of the variables that are no choices

  auto operator<=>(const Key&) const = default;
};

/// By the values of the choices.
using Settings = std::map<std::vector<std::size_t>, Launches>;

std::string refusal_of(const Launches& ours, const Launches& baseline) {
  const bool is_path_asked = ours.transport != baseline.transport || ours.memory != baseline.memory;
  return path_mismatch(ours.networks, baseline.networks, is_path_asked);
}

/// Fills in the differences from the default.
void compare_all(std::vector<MeasuredThing>& things) {
  std::vector<LaunchTimes> pairs;
  std::vector<MeasuredSetting*> compared;
  for (auto& thing : things) {
    if (!thing.default_setting) continue;
    const auto& baseline = thing.settings[*thing.default_setting];
    for (auto& setting : thing.settings) {
      if (&setting == &baseline || !setting.refusal.empty()) continue;
      pairs.push_back({setting.times_us, baseline.times_us});
      compared.push_back(&setting);
    }
  }
  const auto differences = compare_launches(pairs);
  for (std::size_t i = 0; i < compared.size(); ++i) compared[i]->difference = differences[i];
}

std::string verdict_on(const MeasuredThing& thing) {
  const auto& best = thing.best();
  if (!thing.default_setting) return "the default was not measured";
  if (!best.refusal.empty()) return "not compared: " + best.refusal;
  if (best.difference) return ringmark::in_words(*best.difference) + (thing.is_doubted(best) ? ", in doubt" : "");
  if (thing.settings.size() == 1) return "nothing to compare with";
  const bool all_slower = std::all_of(thing.settings.begin(), thing.settings.end(), [&](const MeasuredSetting& each) {
    return &each == &best || (each.difference && each.difference->verdict == Verdict::slower);
  });
  return all_slower ? "the default is the best" : "nothing is faster than the default";
}

std::string left_out_in_words(const std::vector<LeftOut>& all) {
  std::string text;
  for (const auto& each : all)
    text += fmt::format("not compared: {} of {}: {}{}{}\n", with_count(each.rows, "row"), each.setting,
                        name(each.status), each.detail.empty() ? "" : ": ", each.detail);
  return text.empty() ? text : text + "\n";
}

/// A line for each caveat that any row of a setting has.
std::string caveats_in_words(const Answer& answer) {
  std::map<std::string, std::vector<Caveat>> by_setting;
  for (const auto& thing : answer.things) {
    for (const auto& setting : thing.settings) merge(by_setting[setting.name], setting.caveats);
  }
  return caveat_lines(by_setting);
}

}  // namespace

const MeasuredSetting& MeasuredThing::best() const {
  const MeasuredSetting* best = nullptr;
  for (const auto& each : settings) {
    if (each.difference && !is_doubted(each) && beats(*each.difference, best == nullptr ? nullptr : &*best->difference))
      best = &each;
  }
  if (best != nullptr) return *best;
  return *std::min_element(settings.begin(), settings.end(),
                           [](const auto& a, const auto& b) { return median(a.times_us) < median(b.times_us); });
}

bool MeasuredThing::is_doubted(const MeasuredSetting& setting) const {
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
    if (launches.contains(row.run_id.launch.value_or(0))) tally.add(caveats_of(row));
  }
  return tally.caveats();
}

Answer answer(const Sweep& sweep, const Plan& plan, const std::vector<Record>& rows, const std::vector<Done>& done) {
  Variables choices, others;
  Variables but_groups;
  for (std::size_t v = 0; v < sweep.variables.size(); ++v) {
    (is_choice(sweep.variables[v].name) ? choices : others).numbers.push_back(v);
    if (sweep.variables[v].name != "groups") but_groups.numbers.push_back(v);
  }
  const auto default_values = choices.at(plan, plan.default_point());
  const auto name_of = [&](const std::vector<std::size_t>& values) {
    return values.empty() ? "the only setting" : words_of(sweep, choices, values, " ", true);
  };
  std::map<std::size_t, std::size_t> point_of;
  for (const auto& each : done) point_of[each.launch] = each.point;

  Answer found{sweep.question, name_of(default_values), {}, 0, {}, {}};
  GroupTimes group_times;
  std::map<std::pair<std::string, Status>, LeftOut> left_out;
  const auto leave_out = [&](const Record& row) {
    const auto point = point_of.find(row.run_id.launch.value_or(0));
    if (point == point_of.end()) return;
    const auto setting = name_of(choices.at(plan, point->second));
    ++left_out.try_emplace({setting, row.status}, LeftOut{setting, row.status, 0, row.detail.text()})
          .first->second.rows;
  };
  std::map<Key, Settings> measured;
  for (const auto& row : rows) {
    if (row.status != Status::ok) {
      leave_out(row);
      continue;
    }
    if (row.time_us_p50.value_or(0) <= 0 || row.size_bytes == 0 || row.ranks < 1) continue;
    if (row.time_sliced.value_or(0) > 0) {
      ++found.time_sliced;
      continue;
    }
    const auto point = point_of.find(row.run_id.launch.value_or(0));
    if (point == point_of.end()) continue;
    const Key key{thing_of(row), row.size_bytes, others.at(plan, point->second)};
    measured[key][choices.at(plan, point->second)].add(row);
    group_times.add(row, words_of(sweep, but_groups, but_groups.at(plan, point->second), " ", false));
  }
  for (const auto& [key, settings] : measured) {
    const auto also = words_of(sweep, others, key.values, ", ", false);
    MeasuredThing thing{key.thing + (also.empty() ? "" : ", " + also), key.size_bytes, {}, {}};
    const auto baseline = settings.find(default_values);
    for (const auto& [values, launches] : settings) {
      const bool is_default = values == default_values;
      if (is_default) thing.default_setting = thing.settings.size();
      const bool is_compared = !is_default && baseline != settings.end();
      thing.settings.push_back({name_of(values),
                                launches.times_us(),
                                {},
                                is_compared ? refusal_of(launches, baseline->second) : "",
                                launches.caveats.caveats()});
    }
    found.things.push_back(std::move(thing));
  }
  for (auto& [key, each] : left_out) found.left_out.push_back(std::move(each));
  compare_all(found.things);
  found.slowdowns = group_times.slowdowns();
  return found;
}

std::string in_words(const Answer& answer) {
  auto text = fmt::format("\n{}\n\n", answer.question);
  if (answer.time_sliced > 0)
    text += fmt::format("{} row{} from ranks that share a GPU: they do not time the network, and are not compared.\n",
                        answer.time_sliced, answer.time_sliced == 1 ? " comes" : "s come");
  text += left_out_in_words(answer.left_out);
  if (answer.things.empty()) return text + "No launch has measured anything; the rows in results.csv say why.\n";
  text += ringmark::sweep::in_words(answer.slowdowns);
  std::vector<std::vector<std::string>> lines{
      {"measured", ">default (us)", ">best (us)", "best setting", "against the default"}};
  for (const auto& thing : answer.things) {
    const auto time_us = [](const MeasuredSetting& setting) { return fmt::format("{:.1f}", median(setting.times_us)); };
    lines.push_back({fmt::format("{} {}", thing.name, format_size(thing.size_bytes)),
                     thing.default_setting ? time_us(thing.settings[*thing.default_setting]) : "-",
                     time_us(thing.best()), thing.best().name, verdict_on(thing)});
  }
  return text + print_table(std::move(lines)) + fmt::format("\ndefault: {}\n", answer.default_setting) +
         caveats_in_words(answer);
}

}  // namespace ringmark::sweep

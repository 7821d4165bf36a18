#include "analysis/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/groups.hpp"
#include "analysis/text_table.hpp"
#include "transports/operation.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/units.hpp"

namespace ringmark::analysis {
namespace {

/// What ringmark-link measures between two ranks.
bool is_point_to_point(const std::string& collective) { return collective == "latency" || collective == "bandwidth"; }

/// A point that also knows what it is of.
struct Observation {
  Point point;
  std::uint64_t size_bytes;
  int ranks;
  double message() const { return point.steps > 0 ? point.bytes / point.steps : 0; }
};

using Observations = std::vector<Observation>;

Line line_through(const Observations& some) {
  std::vector<Point> points;
  for (const auto& each : some) points.push_back(each.point);
  return fit_line(points);
}

/// Bayesian information criterion of lines with so much left over, but for a constant. A break counts for four
/// parameters, since the best of all is chosen.
double criterion(double squares, std::size_t points, std::size_t lines) {
  const auto n = static_cast<double>(points);
  constexpr double least = 1e-12;  // data without any noise
  const double parameters = 2 * static_cast<double>(lines) + 4 * static_cast<double>(lines - 1);
  return n * std::log(std::max(squares / n, least)) + parameters * std::log(n);
}

/// Cuts, sorted by message size, into at most three segments. Only between different message sizes.
std::vector<Observations> segments_of(Observations all) {
  constexpr std::size_t least = 4;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.message() < b.message(); });
  const auto part = [&](std::size_t from, std::size_t to) {
    return Observations(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  std::vector<std::size_t> places;
  for (std::size_t at = least; at + least <= all.size(); ++at) {
    if (all[at].message() > all[at - 1].message() * 1.01) places.push_back(at);
  }
  // Of very many sizes, some of the places to cut at are enough.
  constexpr std::size_t most_places = 24;
  const std::size_t stride = (places.size() + most_places - 1) / most_places;
  std::vector<std::size_t> cuts_to_try;
  for (std::size_t i = 0; i < places.size(); i += stride) cuts_to_try.push_back(places[i]);
  std::vector<std::size_t> best_cuts;
  double best = criterion(line_through(all).squares, all.size(), 1);
  std::map<std::pair<std::size_t, std::size_t>, double> known;
  const auto squares = [&](std::size_t from, std::size_t to) {
    const auto [found, is_new] = known.try_emplace({from, to}, 0);
    if (is_new) found->second = line_through(part(from, to)).squares;
    return found->second;
  };
  const auto consider = [&](std::vector<std::size_t> cuts) {
    double sum = 0;
    std::size_t from = 0;
    for (const auto cut : cuts) sum += squares(from, cut), from = cut;
    sum += squares(from, all.size());
    const double value = criterion(sum, all.size(), cuts.size() + 1);
    if (value < best) best = value, best_cuts = std::move(cuts);
  };
  for (const auto first : cuts_to_try) {
    consider({first});
    for (const auto second : cuts_to_try) {
      if (second >= first + least) consider({first, second});
    }
  }
  std::vector<Observations> segments;
  std::size_t from = 0;
  best_cuts.push_back(all.size());
  for (const auto cut : best_cuts) segments.push_back(part(from, cut)), from = cut;
  return segments;
}

std::vector<FitSegment> fit_segments(const Observations& all) {
  std::vector<FitSegment> segments;
  for (const auto& some : segments_of(all)) {
    const auto line = line_through(some);
    segments.push_back({some.front().message(), some.back().message(), line.alpha_us, line.beta_us_per_byte,
                        line.alpha_ci, line.beta_ci, 100 * line.residual(), static_cast<int>(some.size())});
  }
  return segments;
}

const FitSegment& segment_for(const std::vector<FitSegment>& segments, double message) {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    // Between two segments: the geometric middle of what was measured.
    if (message < std::sqrt(segments[i].to_message_bytes * segments[i + 1].from_message_bytes)) return segments[i];
  }
  return segments.back();
}

double time_by(const std::vector<FitSegment>& segments, const Observation& each) {
  const auto& segment = segment_for(segments, each.message());
  return each.point.steps * segment.alpha_us + each.point.bytes * segment.beta_us_per_byte;
}

/// Leaves out all observations with one value of `key`, predicts them from the others, one value after another.
template <class Key>
std::optional<HeldOut> held_out(const Observations& all, Key key, std::size_t least_left) {
  std::set<std::uint64_t> values;
  for (const auto& each : all) values.insert(static_cast<std::uint64_t>(key(each)));
  if (values.size() < 2) return std::nullopt;
  constexpr std::size_t most = 20;
  const std::size_t stride = (values.size() + most - 1) / most;
  std::vector<double> errors;
  std::size_t index = 0;
  for (const auto value : values) {
    if (index++ % stride != 0) continue;
    Observations rest, left_out;
    for (const auto& each : all) (static_cast<std::uint64_t>(key(each)) == value ? left_out : rest).push_back(each);
    if (rest.size() < least_left) return std::nullopt;
    const auto segments = fit_segments(rest);
    for (const auto& each : left_out)
      errors.push_back(100 * std::abs(time_by(segments, each) / each.point.time_us - 1));
  }
  const Sorted sorted(errors);
  return HeldOut{sorted.median(), sorted.max(), static_cast<int>(errors.size())};
}

/// What a row was measured over, as the model's name; its own words if the library did not tell the algorithm.
std::vector<std::string> candidates(const std::string& collective, const std::string& told) {
  if (is_point_to_point(collective)) return {"direct"};
  if (!told.empty()) return {told};
  std::vector<std::string> names;
  if (const auto known = parse_collective(collective)) {
    for (const auto name : algorithms_for(*known)) {
      if (name != "two_level") names.emplace_back(name);
    }
  }
  return names;
}

std::optional<Observations> observe(const std::vector<const Group*>& some, const Table& table,
                                    const std::string& collective, const std::string& algorithm, int per_node) {
  Observations all;
  for (const auto* group : some) {
    const auto row = group->rows.front();
    const auto ranks = static_cast<int>(table.number("ranks")[row]);
    const auto size = table.number("size_bytes")[row];
    const auto cost = cost_of(collective, algorithm, ranks, per_node);
    if (!cost) return std::nullopt;
    double logs = 0;
    for (const double time : group->times_us) logs += std::log(time);
    const double time = std::exp(logs / static_cast<double>(group->times_us.size()));
    all.push_back({{cost->steps, cost->share * size, time}, static_cast<std::uint64_t>(size), ranks});
  }
  return all;
}

/// What has a model of its own; ranks and sizes are what it is fitted over. The network is no part of it: rows that
/// cannot tell it (METHOD.md) belong to those that can.
constexpr std::size_t schema_at = 0, transport_at = 1, memory_at = 2, collective_at = 3, datatype_at = 4, op_at = 5,
                      algorithm_at = 6, timing_at = 7, in_place_at = 8, first_setting = 9;
std::vector<std::string> model_columns(const Table& table) {
  std::vector<std::string> columns{"schema", "transport",      "memory", "collective", "datatype",
                                   "op",     "algorithm_used", "timing", "in_place"};
  constexpr std::array no_setting{"src", "dst", "program", "ranks"};
  for (const auto& name : table.extra_columns()) {
    const bool is_setting = std::find(no_setting.begin(), no_setting.end(), name) == no_setting.end();
    if (is_setting && name != configuration_column) columns.push_back(name);
  }
  return columns;
}

/// A group's columns as a model without figures.
FitModel describe(const Table& table, const Groups& groups, const Group& group, std::size_t columns) {
  FitModel model;
  model.transport = groups.value(group, transport_at);
  model.memory = groups.value(group, memory_at);
  model.collective = groups.value(group, collective_at);
  model.datatype = groups.value(group, datatype_at);
  model.op = groups.value(group, op_at);
  model.algorithm = groups.value(group, algorithm_at);
  model.timing = groups.value(group, timing_at);
  model.in_place = groups.value(group, in_place_at) == "1" ? 1 : 0;
  std::vector<std::string> settings;
  for (std::size_t c = first_setting; c < columns; ++c) {
    if (const auto& value = groups.value(group, c); !value.empty())
      settings.push_back(groups.columns()[c] + "=" + value);
  }
  model.settings = fmt::format("{}", fmt::join(settings, " "));
  const auto row = group.rows.front();
  const double ranks = table.number("ranks")[row], nodes = table.number("nodes")[row];
  const bool is_link = groups.value(group, schema_at) == "link/1";
  if (nodes >= 1 && !is_link) model.ranks_per_node = std::max(1, static_cast<int>(ranks / nodes));
  return model;
}

}  // namespace

std::optional<Cost> cost_of(const std::string& collective, const std::string& algorithm, int ranks,
                            int ranks_per_node) {
  if (is_point_to_point(collective)) return Cost{1, 1};
  const auto known = parse_collective(collective);
  if (!known || ranks < 2) return std::nullopt;
  if (ranks_per_node < 1 || ranks % ranks_per_node != 0) ranks_per_node = 1;
  std::vector<int> nodes;
  if (ranks_per_node > 1) {
    for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / ranks_per_node);
  }
  const auto topology = ranks_per_node > 1 ? Topology::nodes(nodes) : Topology::flat(ranks);
  const auto schedule = make_schedule(*known, algorithm, topology);
  if (!schedule) return std::nullopt;
  return ringmark::cost_of(*schedule);
}

Fit fit_results(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string>& notes) {
  const auto columns = model_columns(table);
  auto with_sizes = columns;
  with_sizes.insert(with_sizes.end(), {"ranks", "nodes", "size_bytes"});
  const Groups groups(table, rows, with_sizes);
  std::map<std::vector<std::uint32_t>, std::vector<const Group*>> models;
  for (const auto& group : groups.groups()) {
    std::vector<std::uint32_t> key(group.key.begin(), group.key.begin() + static_cast<std::ptrdiff_t>(columns.size()));
    key.push_back(static_cast<std::uint32_t>(describe(table, groups, group, columns.size()).ranks_per_node));
    models[std::move(key)].push_back(&group);
  }

  Fit fit;
  for (const auto& [key, some] : models) {
    const auto& any = *some.front();
    const auto row = any.rows.front();
    auto model = describe(table, groups, any, columns.size());
    const auto told = model.algorithm;

    std::set<std::uint64_t> sizes;
    std::set<int> ranks_seen;
    std::set<std::string> runs, times, networks;
    for (const auto* group : some) {
      sizes.insert(static_cast<std::uint64_t>(table.number("size_bytes")[group->rows.front()]));
      ranks_seen.insert(static_cast<int>(table.number("ranks")[group->rows.front()]));
      for (const auto each : group->rows) {
        runs.insert(table.text("run_id")[each]);
        if (const auto& network = table.text("network")[each]; !network.empty()) networks.insert(network);
        if (const auto& time = table.text("time_utc")[each]; !time.empty()) times.insert(time);
      }
    }
    const auto called =
        fmt::format("{} {}{}{}", model.transport, thing_of(table, row), told.empty() ? "" : " by ", told);
    if (networks.size() > 1) {
      notes.push_back(fmt::format("not fitted: {}: its bytes crossed {}", called, fmt::join(networks, " and ")));
      continue;
    }
    if (!networks.empty()) model.network = *networks.begin();
    if (sizes.size() < 2) {
      notes.push_back(fmt::format("not fitted: {}: one size alone tells no alpha from beta", called));
      continue;
    }
    std::optional<Observations> best;
    double least = 0;
    const auto names = candidates(model.collective, told);
    for (const auto& name : names) {
      auto all = observe(some, table, model.collective, name, model.ranks_per_node);
      if (!all) continue;
      double squares = 0;
      for (const auto& part : segments_of(*all)) squares += line_through(part).squares;
      if (best && squares >= least) continue;
      least = squares;
      best = std::move(all);
      model.algorithm = name;
    }
    if (!best) {
      notes.push_back(
          fmt::format("not fitted: {}: no schedule of '{}' on these ranks", called, fmt::join(names, ", ")));
      continue;
    }
    model.is_assumed = names.size() > 1;
    model.segments = fit_segments(*best);
    model.from_bytes = *sizes.begin();
    model.to_bytes = *sizes.rbegin();
    model.ranks.assign(ranks_seen.begin(), ranks_seen.end());
    model.launches = static_cast<int>(runs.size());
    model.run_ids.assign(runs.begin(), runs.end());
    if (!times.empty()) model.first_utc = *times.begin(), model.last_utc = *times.rbegin();
    model.by_size = held_out(
        *best, [](const Observation& each) { return each.size_bytes; }, 3);
    model.by_ranks = held_out(
        *best, [](const Observation& each) { return each.ranks; }, 2);
    fit.models.push_back(std::move(model));
  }
  return fit;
}

std::optional<Prediction> predict(const FitModel& model, std::uint64_t size_bytes, int ranks) {
  const auto cost = cost_of(model.collective, model.algorithm, ranks, model.ranks_per_node);
  if (!cost) return std::nullopt;
  const auto size = static_cast<double>(size_bytes);
  Prediction prediction{time_by(model.segments, {{cost->steps, cost->share * size, 0}, size_bytes, ranks}), {}};
  if (size_bytes < model.from_bytes || size_bytes > model.to_bytes) {
    prediction.outside.push_back(fmt::format("{} (measured: {} to {})", format_size(size_bytes),
                                             format_size(model.from_bytes), format_size(model.to_bytes)));
  }
  const bool is_measured = std::find(model.ranks.begin(), model.ranks.end(), ranks) != model.ranks.end();
  if (!is_measured && !is_point_to_point(model.collective)) {
    prediction.outside.push_back(fmt::format("{} ranks (measured: {})", ranks, fmt::join(model.ranks, ", ")));
  }
  return prediction;
}

std::vector<Checked> check(const Fit& fit, const Table& table, const std::vector<std::size_t>& rows) {
  const auto columns = model_columns(table);
  auto with_sizes = columns;
  with_sizes.insert(with_sizes.end(), {"ranks", "nodes", "size_bytes"});
  const Groups groups(table, rows, with_sizes);
  std::vector<Checked> all;
  for (const auto& group : groups.groups()) {
    const auto wanted = describe(table, groups, group, columns.size());
    const auto is_it = [&](const FitModel& model) {
      const auto same = [](const FitModel& m) {
        return std::tie(m.transport, m.memory, m.collective, m.datatype, m.op, m.timing, m.settings, m.in_place,
                        m.ranks_per_node);
      };
      return same(model) == same(wanted) &&
             (model.is_assumed || wanted.algorithm.empty() || model.algorithm == wanted.algorithm);
    };
    const auto model = std::find_if(fit.models.begin(), fit.models.end(), is_it);
    const auto row = group.rows.front();
    const auto ranks = static_cast<int>(table.number("ranks")[row]);
    const auto size = static_cast<std::uint64_t>(table.number("size_bytes")[row]);
    Checked checked{fmt::format("{} {}", wanted.transport, thing_of(table, row)), size, median(group.times_us), {}};
    if (model != fit.models.end()) checked.prediction = predict(*model, size, ranks);
    all.push_back(std::move(checked));
  }
  return all;
}

std::string print(const std::vector<Checked>& all) {
  std::vector<std::vector<std::string>> lines{
      {"predicted", ">size", ">measured (us)", ">predicted (us)", ">error", "outside what was fitted"}};
  std::vector<double> errors;
  for (const auto& each : all) {
    if (!each.prediction) continue;
    errors.push_back(100 * std::abs(each.prediction->time_us / each.time_us - 1));
    lines.push_back({each.thing, format_size(each.size_bytes), short_number(each.time_us),
                     short_number(each.prediction->time_us),
                     fmt::format("{:+.1f} %", 100 * (each.prediction->time_us / each.time_us - 1)),
                     fmt::format("{}", fmt::join(each.prediction->outside, "; "))});
  }
  if (errors.empty()) return "nothing of these results is what the fit is of\n";
  const Sorted sorted(errors);
  return print_table(std::move(lines)) +
         fmt::format("error: median {:.1f} %, worst {:.1f} %, of {} predictions for {} things measured\n",
                     sorted.median(), sorted.max(), errors.size(), all.size());
}

std::string print(const Fit& fit) {
  const auto interval = [](const std::optional<Interval>& ci, double scale) {
    return ci ? fmt::format(" ({} to {})", short_number(scale * ci->low), short_number(scale * ci->high)) : "";
  };
  std::vector<std::vector<std::string>> lines{{"path", "collective", "algorithm", ">ranks", ">messages", ">alpha (us)",
                                               ">GB/s", ">residual", ">held out: sizes", ">ranks"}};
  for (const auto& model : fit.models) {
    auto path = model.transport + (model.network.empty() ? "" : "/" + model.network);
    if (!model.settings.empty()) path += " " + model.settings;
    const auto error = [](const std::optional<HeldOut>& held) {
      return held ? fmt::format("{:.1f} % (worst {:.1f})", held->median_percent, held->worst_percent) : "-";
    };
    for (const auto& segment : model.segments) {
      const auto& ci = segment.beta_us_per_byte_ci;
      const auto to_rate = [](double beta) { return 1 / beta / 1e3; };
      std::string rate = segment.beta_us_per_byte > 0 ? short_number(to_rate(segment.beta_us_per_byte)) : "-";
      if (segment.beta_us_per_byte > 0 && ci && ci->low > 0) {
        rate += fmt::format(" ({} to {})", short_number(to_rate(ci->high)), short_number(to_rate(ci->low)));
      }
      const auto round = [](double bytes) { return format_size(static_cast<std::size_t>(std::llround(bytes))); };
      lines.push_back({path, fmt::format("{}{}", model.collective, model.in_place != 0 ? " in place" : ""),
                       model.algorithm + (model.is_assumed ? " (assumed)" : ""),
                       fmt::format("{}", fmt::join(model.ranks, ",")),
                       fmt::format("{} to {}", round(segment.from_message_bytes), round(segment.to_message_bytes)),
                       short_number(segment.alpha_us) + interval(segment.alpha_us_ci, 1), std::move(rate),
                       fmt::format("{:.1f} %", segment.residual_percent), error(model.by_size), error(model.by_ranks)});
    }
  }
  return print_table(std::move(lines)) +
         "time = steps x alpha + bytes / (GB/s), steps and bytes of the algorithm's schedule; 95 % intervals\n";
}

}  // namespace ringmark::analysis

#include "replay/step/step_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/text/text_table.hpp"
#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

using Line = std::vector<std::string>;

std::string ms(double us) { return fmt::format("{:.3f}", us / 1000); }

/// The heading of the lines below.
Line head(bool has_bubble) {
  Line line{"", ">total (ms)", ">computation", ">communication exposed", ">hidden"};
  if (has_bubble) line.emplace_back(">bubble");
  return line;
}

Line line_of(std::string what, double total_us, const PartTimes& part, bool has_bubble) {
  Line line{std::move(what), ms(total_us), ms(part.computation_us), ms(part.exposed_us), ms(part.hidden_us)};
  if (has_bubble) line.push_back(ms(part.bubble_us));
  return line;
}

}  // namespace

std::string step_table(const StepTrace& trace, int ranks, const StepTimes& times, const PartTimes& whole) {
  const bool has_bubble = std::any_of(trace.events.begin(), trace.events.end(), is_message);
  std::vector<Line> lines{head(has_bubble)};
  const auto add_row = [&](std::string what, double total_us, const PartTimes& part) {
    lines.push_back(line_of(std::move(what), total_us, part, has_bubble));
  };
  const auto add = [&](std::string what, const PartTimes& part) {
    add_row(std::move(what), part.computation_us + part.exposed_us + part.bubble_us, part);
  };
  constexpr std::size_t most_micro_steps = 32;
  for (std::size_t m = 0; m < times.micro_steps.size() && m < most_micro_steps; ++m) {
    const bool is_last = m + 1 == times.micro_steps.size();
    add(fmt::format("micro-step {}{}", m, is_last ? " and optimizer" : ""), times.micro_steps[m]);
  }
  if (times.micro_steps.size() > most_micro_steps)
    lines.push_back({fmt::format("… and {} more", times.micro_steps.size() - most_micro_steps)});
  for (const auto phase : {Phase::forward, Phase::recompute, Phase::backward, Phase::step}) {
    const auto& part = times.phases[static_cast<std::size_t>(phase)];
    const bool recomputes = part.computation_us + part.exposed_us > 0;
    if (phase != Phase::recompute || recomputes) add(fmt::format("all of {}", name(phase)), part);
  }
  add_row("step", times.total_us, whole);
  return print_table(std::move(lines)) +
         fmt::format("sent per rank: at least {}\n", readable_bytes(step_wire_bytes(trace, ranks)));
}

std::string rank_table(const std::vector<RankTimes>& ranks) {
  constexpr std::size_t most_rows = 16;
  std::vector<std::size_t> shown(ranks.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() > most_rows) {
    const auto is_slower = [&](std::size_t a, std::size_t b) {
      return std::pair(ranks[a].late_us, ranks[a].total_us) > std::pair(ranks[b].late_us, ranks[b].total_us);
    };
    std::partial_sort(shown.begin(), shown.begin() + most_rows, shown.end(), is_slower);
    shown.resize(most_rows);
    std::sort(shown.begin(), shown.end());
  }
  const bool has_bubble =
      std::any_of(ranks.begin(), ranks.end(), [](const auto& each) { return each.parts.bubble_us > 0; });
  std::vector<Line> lines{head(has_bubble)};
  lines.back().emplace_back(">late");
  for (const auto rank : shown) {
    const auto& [total_us, parts, late_us] = ranks[rank];
    lines.push_back(line_of(fmt::format("rank {}", rank), total_us, parts, has_bubble));
    lines.back().push_back(late_us ? ms(*late_us) : "");
  }
  auto text = print_table(std::move(lines));
  if (shown.size() < ranks.size())
    text += fmt::format("the slowest {} of {} ranks; --samples FILE writes all\n", shown.size(), ranks.size());
  return text;
}

std::optional<double> samples_per_second(const StepTrace& trace, int ranks, double step_us) {
  if (trace.micro_batch == 0 || step_us <= 0) return std::nullopt;
  constexpr double us_per_s = 1e6;
  return static_cast<double>(trace.micro_batch) * trace.micro_steps * ranks / trace.ranks_per_sample / step_us *
         us_per_s;
}

std::string throughput(const StepTrace& trace, int ranks, double step_us) {
  const auto samples = samples_per_second(trace, ranks, step_us);
  if (!samples) return "";
  auto text = fmt::format("{} samples/s", short_number(*samples));
  if (trace.sequence > 0)
    text += fmt::format(", {} tokens/s", short_number(*samples * static_cast<double>(trace.sequence)));
  return text;
}

std::string predicted_table(const StepTrace& trace, int ranks, const Simulation& simulation) {
  const auto times = times_of(trace, simulation.timeline);
  auto text = fmt::format("{} on {} ranks: predicted {} ms a step", trace.id, ranks, ms(times.total_us));
  if (const auto rate = throughput(trace, ranks, times.total_us); !rate.empty()) text += ", " + rate;
  text += "\n\n" + step_table(trace, ranks, times, times.whole());
  if (!simulation.waited_for.empty()) {
    text += fmt::format("waited for rank {} in {} collectives; entry skew of a collective {} us on average\n",
                        simulation.slowest_rank, simulation.waited_for.at(simulation.slowest_rank),
                        short_number(simulation.entry_skew_us));
  }
  return text;
}

double step_wire_bytes(const StepTrace& trace, int ranks) {
  double sum = 0;
  for (const auto& event : trace.events) {
    if (is_call(event)) sum += wire_bytes(event, trace.group_of(event).size(ranks));
  }
  return sum;
}

}  // namespace ringmark::replay

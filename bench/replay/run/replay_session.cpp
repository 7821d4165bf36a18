#include "bench/replay/run/replay_session.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness/nccl.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/stopping.hpp"
#include "bench/harness/summary.hpp"
#include "bench/replay/run/arrivals.hpp"
#include "bench/replay/run/shared_times.hpp"
#include "bench/replay/run/step_columns.hpp"
#include "bench/replay/step/timeline_file.hpp"
#include "results/statistics.hpp"
#include "transports/exit_status.hpp"

namespace ringmark::replay {
namespace {

/// Entries of so many collectives of a step are compared between the ranks.
constexpr std::size_t most_compared = 4096;

std::vector<double> durations_of(const ReplayPlan& plan, int rank) {
  const auto slow = plan.slow_down.find(rank);
  auto durations = plan.durations_us;
  if (slow != plan.slow_down.end()) {
    for (auto& each : durations) each *= slow->second;
  }
  return durations;
}

template <class Get>
double median_of(const auto& steps, Get get) {
  std::vector<double> values;
  for (const auto& step : steps) values.push_back(get(step));
  return Sorted(values).median();
}

template <class Get>
PartTimes median_parts(const auto& steps, Get get) {
  const auto median = [&](double PartTimes::*part) {
    return median_of(steps, [&](const auto& step) { return get(step).*part; });
  };
  return {median(&PartTimes::computation_us), median(&PartTimes::exposed_us), median(&PartTimes::hidden_us)};
}

std::string slow_down_text(const std::map<int, double>& slow_down) {
  std::vector<std::string> words;
  for (const auto& [rank, factor] : slow_down) words.push_back(fmt::format("{}={}", rank, factor));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

ReplaySession::ReplaySession(const ReplayPlan& plan, const RunOptions& options, Equipment& equipment,
                             Channels& channels, std::string run_id, Sink* sink)
    : plan_(plan),
      options_(options),
      equipment_(equipment),
      channels_(channels),
      run_id_(std::move(run_id)),
      sink_(sink),
      gpu_(plan.pretence == Pretence::on_gpu
               ? std::make_unique<GpuCompute>(equipment.nccl->gpu(), plan.trace.streams.size())
               : nullptr),
      player_(plan.trace, channels, durations_of(plan, equipment.control->rank()), plan.pretence, options.timeout,
              gpu_.get(), equipment.nccl != nullptr) {
  for (std::size_t i = 0; i < plan.trace.events.size() && world_collectives_.size() < most_compared; ++i) {
    const auto& event = plan.trace.events[i];
    const bool is_of_all = plan.trace.group_of(event).kind == Group::Kind::world;
    if (event.kind == EventKind::collective && is_of_all) world_collectives_.push_back(static_cast<int>(i));
  }
}

int ReplaySession::run() {
  Record record = describe_row(options_, equipment_, run_id_);
  describe(record);
  record_failure(sink_, record, [&] { measure_into(record); });
  if (equipment_.control->rank() == 0) {
    print_result(record);
    if (sink_ != nullptr) sink_->add(record, samples());
  }
  return is_untrue(record.status) ? exit_wrong : exit_ok;
}

void ReplaySession::describe(Record& record) const {
  describe_step(plan_.trace, record);
  record.timing = "each";
  record.start = "barrier";
  record.extra["device"] = plan_.device;
  record.extra["compute_used"] = std::string(name(plan_.pretence));
  record.extra["slow_down"] = slow_down_text(plan_.slow_down);
  record.extra["compute_scale"] = fmt::format("{}", plan_.compute_scale);
  record.extra["size_scale"] = fmt::format("{}", plan_.size_scale);
  record.algorithm = plan_.algorithm;
}

void ReplaySession::measure_into(Record& record) {
  auto& control = *equipment_.control;
  const auto wrong =
      static_cast<std::uint64_t>(control.sum(static_cast<double>(channels_.prepare(plan_.check, options_.timeout))));
  if (plan_.check) record.wrong_elements = wrong;
  StoppingRule rule;
  rule.iterations = options_.iterations;
  rule.precision_percent = options_.precision_percent;
  rule.max_time = options_.max_time;
  PathCounters uncounted(equipment_.way_out), counters(equipment_.way_out);
  auto started = Clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(control.max(std::chrono::duration<double>(Clock::now() - started).count()));
  };
  // Steps may take minutes: where time is the bound, it bounds these too, after one.
  const auto is_enough = [&](int played) {
    return played == options_.warmup || (played > 0 && !options_.iterations && elapsed() >= options_.max_time);
  };
  for (int played = 0; !is_enough(played); ++played) play_step(uncounted);
  std::vector<double> times_us;
  started = Clock::now();
  for (std::optional<StopReason> reason; !reason;) {
    clock_ = control.synchronise_clocks();
    clock_.error_us = control.max(clock_.error_us);
    steps_.push_back(play_step(counters));
    times_us.push_back(steps_.back().total_us);
    reason = rule.reason(times_us, elapsed());
    if (reason) record.stop_reason = name(*reason);
  }
  summarise(times_us, 1, record);
  record.algbw_GBps = record.busbw_GBps = record.busbw_GBps_ci_low = record.busbw_GBps_ci_high = std::nullopt;
  std::vector<int> slowest(static_cast<std::size_t>(control.size()));
  for (const auto& step : steps_) ++slowest[static_cast<std::size_t>(step.slowest_rank)];
  record.slowest_rank = static_cast<int>(std::max_element(slowest.begin(), slowest.end()) - slowest.begin());
  record.entry_skew_us_p50 = median_of(steps_, [](const Step& step) { return step.skew_us; });
  const auto path =
      find_path(control, counters, equipment_.places, needed_bytes(), steps_.size(), *record.slowest_rank);
  judge(path, equipment_, {.count = wrong}, record);
  if (equipment_.nccl) tell_of_nccl(equipment_, record);
  tell_step(plan_.trace, control.size(), typical(), typical_whole(), record);
  const auto ranks = typical_ranks();
  const auto latest =
      std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.late_us < b.late_us; });
  if (latest->late_us.value_or(0) > 0) record.extra["waited_for"] = std::to_string(latest - ranks.begin());
  if (!plan_.timeline.empty()) {
    const auto lines = timelines_of_all(control, last_, last_origin_us_);
    if (control.rank() == 0) write_timelines(plan_.timeline, plan_.trace, lines);
  }
}

/// Plays a step on all ranks at once, and has everybody know the slowest rank's times.
ReplaySession::Step ReplaySession::play_step(PathCounters& counters) {
  auto& control = *equipment_.control;
  counters.count(true);
  control.barrier();
  last_origin_us_ = now_us() + clock_.to_rank0_us;
  last_ = player_.play();
  control.barrier();  // what a rank has sent may still be queued in its host until the receivers have it
  counters.count(false);
  Step step;
  step.clock_error_us = clock_.error_us;
  step.begin_us = control.all_gather(std::span(&last_origin_us_, 1));
  const auto mine = flattened(times_of(plan_.trace, last_));
  const auto all = control.all_gather(mine);
  std::vector<StepTimes> times;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(control.size()); ++rank) {
    times.push_back(unflattened(std::span(all).subspan(rank * mine.size(), mine.size())));
    step.ranks.push_back({times.back().total_us, times.back().whole()});
  }
  const auto arrivals = compare_arrivals(entries_of_all(), control.size(), clock_.error_us);
  step.skew_us = arrivals.skew_us;
  for (std::size_t rank = 0; rank < step.ranks.size() && !world_collectives_.empty(); ++rank)
    step.ranks[rank].late_us = arrivals.late_us[rank];
  // All end together where the last collective is of all: who was waited for comes first.
  const auto slowness = [&](std::size_t rank) {
    return std::pair(step.ranks[rank].late_us, step.ranks[rank].total_us);
  };
  std::size_t slowest = 0;
  for (std::size_t rank = 1; rank < times.size(); ++rank) {
    if (slowness(rank) > slowness(slowest)) slowest = rank;
  }
  step.slowest_rank = static_cast<int>(slowest);
  step.times = std::move(times[slowest]);
  for (const auto& rank : step.ranks) step.total_us = std::max(step.total_us, rank.total_us);
  step.times.total_us = step.total_us;
  return step;
}

/// Of the world's collectives, on the clock that all share, rank by rank.
std::vector<double> ReplaySession::entries_of_all() {
  if (world_collectives_.empty()) return {};
  std::vector<double> mine;
  for (const int event : world_collectives_)
    mine.push_back(last_.begin_us[static_cast<std::size_t>(event)] + last_origin_us_);
  return equipment_.control->all_gather(mine);
}

Samples ReplaySession::samples() const {
  Samples samples;
  const auto ranks = static_cast<std::size_t>(equipment_.control->size());
  const double origin_us = steps_.empty() ? 0 : *std::min_element(steps_[0].begin_us.begin(), steps_[0].begin_us.end());
  for (auto* matrix : {&samples.time_us, &samples.entry_us, &samples.computation_us, &samples.exposed_us,
                       &samples.hidden_us, &samples.late_us})
    matrix->resize(ranks);
  for (const auto& step : steps_) {
    samples.clock_error_us = std::max(samples.clock_error_us, step.clock_error_us);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto& [total_us, parts, late_us] = step.ranks[rank];
      samples.time_us[rank].push_back(total_us);
      samples.entry_us[rank].push_back(step.begin_us[rank] - origin_us);
      samples.computation_us[rank].push_back(parts.computation_us);
      samples.exposed_us[rank].push_back(parts.exposed_us);
      samples.hidden_us[rank].push_back(parts.hidden_us);
      samples.late_us[rank].push_back(late_us.value_or(0));
    }
  }
  if (world_collectives_.empty()) samples.late_us.clear();
  return samples;
}

double ReplaySession::needed_bytes() {
  double sum = 0;
  for (std::size_t i = 0; i < plan_.trace.events.size(); ++i) {
    const auto& event = plan_.trace.events[i];
    if (event.kind != EventKind::collective) continue;
    if (plan_.trace.group_of(event).kind != Group::Kind::world) continue;
    const auto& call = channels_.call(static_cast<int>(i));
    sum += needed_wire_bytes(equipment_, *call.communicator, call.operation);
  }
  return sum;
}

/// Medians of the parts over the steps; the total is the median as well, so that parts need not add up to it exactly.
StepTimes ReplaySession::typical() const {
  std::vector<std::vector<double>> columns;
  for (const auto& step : steps_) {
    const auto values = flattened(step.times);
    columns.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
  }
  std::vector<double> medians;
  for (const auto& column : columns) medians.push_back(Sorted(column).median());
  return unflattened(medians);
}

PartTimes ReplaySession::typical_whole() const {
  return median_parts(steps_, [](const Step& step) { return step.times.whole(); });
}

std::vector<RankTimes> ReplaySession::typical_ranks() const {
  std::vector<RankTimes> ranks;
  for (std::size_t rank = 0; rank < steps_.front().ranks.size(); ++rank) {
    const auto of = [&](const Step& step) -> const RankTimes& { return step.ranks[rank]; };
    ranks.push_back({median_of(steps_, [&](const Step& step) { return of(step).total_us; }),
                     median_parts(steps_, [&](const Step& step) { return of(step).parts; }), std::nullopt});
    if (!world_collectives_.empty())
      ranks.back().late_us = median_of(steps_, [&](const Step& step) { return of(step).late_us.value_or(0); });
  }
  return ranks;
}

void ReplaySession::print_result(const Record& record) const {
  const auto& trace = plan_.trace;
  auto text = fmt::format("{} on {} ranks over {}: {:.3f} ms a step (median of {} steps{})", trace.id, record.ranks,
                          record.transport, record.time_us_p50.value() / 1000, record.samples,
                          record.time_us_ci_low && record.time_us_ci_high
                              ? fmt::format("; 95 % interval {:.3f} to {:.3f}", *record.time_us_ci_low / 1000,
                                            *record.time_us_ci_high / 1000)
                              : "; too few for an interval");
  if (const auto rate = throughput(trace, record.ranks, *record.time_us_p50); !rate.empty()) text += ", " + rate;
  text += "\n\nthe slowest rank's times, medians over the steps:\n" +
          step_table(trace, record.ranks, typical(), typical_whole()) +
          "\neach rank's step, medians over the steps; late to the collectives of all ranks, summed (medians need not "
          "add up):\n" +
          rank_table(typical_ranks());
  const double apart_us = *record.time_us_p50 - typical_whole().computation_us - typical_whole().exposed_us;
  constexpr double noticeable_share = 0.02;
  if (apart_us > noticeable_share * *record.time_us_p50)
    text += fmt::format(
        "in neither part: {:.3f} ms, by which that rank began the step later than others (more ranks than "
        "cores?)\n",
        apart_us / 1000);
  text += fmt::format("slowest rank: {}", record.slowest_rank.value());
  if (const auto waited = record.extra.find("waited_for"); waited != record.extra.end() && !waited->second.empty())
    text += fmt::format("; waited for longest: rank {}", waited->second);
  text += fmt::format("; entry skew of a collective {:.1f} us on average\n", record.entry_skew_us_p50.value_or(0));
  if (record.status != Status::ok) text += fmt::format("{}: {}\n", name(record.status), record.detail);
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace ringmark::replay

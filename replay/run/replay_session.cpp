#include "replay/run/replay_session.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/stopping.hpp"
#include "bench/harness/summary.hpp"
#include "bench/harness/transports.hpp"
#include "replay/run/arrivals.hpp"
#include "replay/run/shared_times.hpp"
#include "replay/run/step_columns.hpp"
#include "replay/step/timeline_file.hpp"

namespace ringmark::replay {
namespace {

/// Entries of at most this many collectives of a step are compared between the ranks.
constexpr std::size_t most_compared = 4096;

std::vector<double> durations_of(const ReplayPlan& plan, int rank) {
  const auto slow = plan.slow_down.find(rank);
  auto durations = plan.durations_us;
  if (slow != plan.slow_down.end()) {
    for (auto& each : durations) each *= slow->second;
  }
  return durations;
}

}  // namespace

ReplaySession::ReplaySession(const ReplayPlan& plan, const RunOptions& options, RankResources& resources,
                             Channels& channels, std::string run_id, Sink* sink)
    : plan_(plan),
      options_(options),
      resources_(resources),
      channels_(channels),
      run_id_(std::move(run_id)),
      sink_(sink),
      gpu_(plan.compute_mode == ComputeMode::on_gpu
               ? std::make_unique<GpuCompute>(*resources.backend->gpu(), plan.trace.streams.size())
               : nullptr),
      core_(plan.compute_mode == ComputeMode::work
                ? std::make_unique<CoreWork>(resources.control->max(CoreWork::measure_speed()))
                : nullptr),
      player_(plan.trace, channels, durations_of(plan, resources.control->rank()), plan.compute_mode, options.timeout,
              gpu_.get(), resources.backend->gpu() != nullptr, core_.get()) {
  for (std::size_t i = 0; i < plan.trace.events.size() && world_collectives_.size() < most_compared; ++i) {
    const auto& event = plan.trace.events[i];
    const bool is_of_all = plan.trace.group_of(event).kind == Group::Kind::world;
    if (event.kind == EventKind::collective && is_of_all) world_collectives_.push_back(static_cast<int>(i));
  }
}

int ReplaySession::run() {
  Record record = describe_row(options_, resources_, run_id_);
  place_row(resources_.places.hosts, record);
  describe(record);
  record_failure(sink_, record, [&] { measure_into(record); });
  if (resources_.control->rank() == 0) {
    say("{}", result_text(plan_.step_on(steps_.slowest_rank()), steps_, record));
    std::fflush(stdout);
    if (sink_ != nullptr) sink_->add(record, steps_.samples());
  }
  return is_not_as_asked(record.status) ? exit_wrong : exit_ok;
}

void ReplaySession::describe(Record& record) const {
  describe_step(plan_.trace, record);
  record.timing = Timing::each;
  record.start = Start::barrier;
  auto& step = record.step.value();
  step.device = plan_.device;
  step.compute_used = plan_.compute_mode;
  step.slow_down = plan_.slow_down;
  step.compute_scale = plan_.compute_scale;
  step.size_scale = plan_.size_scale;
  record.algorithm = plan_.algorithm;
}

void ReplaySession::measure_into(Record& record) {
  auto& control = *resources_.control;
  if (plan_.has_roles()) {
    channels_.connect(options_.timeout);
  } else {
    channels_.settle_algorithms(control, options_.max_time, options_.timeout);
  }
  resources_.backend->keep_choices(options_);
  const auto wrong =
      static_cast<std::uint64_t>(control.sum(static_cast<double>(channels_.prepare(plan_.check, options_.timeout))));
  if (plan_.check) record.wrong_elements = wrong;
  PathCounters uncounted(resources_.backend->way_out()), counters(resources_.backend->way_out());
  auto started = Clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(control.max(std::chrono::duration<double>(Clock::now() - started).count()));
  };
  // Steps may take minutes, so a time limit also ends the warmup, after at least one step.
  const auto is_enough = [&](int played) {
    return played == options_.warmup || (played > 0 && !options_.iterations && elapsed() >= options_.max_time);
  };
  for (int played = 0; !is_enough(played); ++played) play_step(uncounted);
  std::vector<double> times_us;
  started = Clock::now();
  while (!record.stop_reason) {
    clock_ = control.synchronise_clocks();
    clock_.error_us = control.max(clock_.error_us);
    auto step = play_step(counters);
    times_us.push_back(step.total_us);
    steps_.add(std::move(step));
    record.stop_reason = stop_reason(options_, times_us, elapsed());
  }
  summarise(times_us, record);
  record.slowest_rank = steps_.slowest_rank();
  record.entry_skew_us_p50 = steps_.typical_skew_us();
  const auto path =
      find_path(control, counters, resources_.places, needed_bytes(), steps_.size(), *record.slowest_rank);
  judge(path, resources_.backend->way_out(), {.count = wrong}, record);
  resources_.backend->judge(record, resources_);
  tell_step(plan_.step_on(*record.slowest_rank), control.size(), steps_.typical(), steps_.typical_whole(), record);
  record.step->waited_for = steps_.waited_for();
  if (!plan_.timeline.empty()) {
    const auto lines = timelines_of_all(control, last_, last_origin_us_);
    TimelineFile file(plan_.timeline);
    for (int rank = 0; control.rank() == 0 && rank < control.size(); ++rank)
      file.add(rank, plan_.step_on(rank), lines[static_cast<std::size_t>(rank)]);
    if (control.rank() == 0) file.write();
  }
}

/// Plays a step on all ranks at once, and returns the slowest rank's times on every rank.
PlayedStep ReplaySession::play_step(PathCounters& counters) {
  auto& control = *resources_.control;
  counters.count(true);
  control.barrier();
  last_origin_us_ = now_us() + clock_.to_rank0_us;
  last_ = player_.play();
  control.barrier();  // what a rank has sent may still be queued in its host until the receivers have it
  counters.count(false);
  PlayedStep step;
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
  // If the last collective includes all ranks, they all end together, so lateness is compared first.
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

/// Entry times into the collectives of all ranks on the common clock, rank by rank.
std::vector<double> ReplaySession::entries_of_all() {
  if (world_collectives_.empty()) return {};
  std::vector<double> mine;
  for (const int event : world_collectives_)
    mine.push_back(last_.begin_us[static_cast<std::size_t>(event)] + last_origin_us_);
  return resources_.control->all_gather(mine);
}

double ReplaySession::needed_bytes() {
  const auto& control = *resources_.control;
  std::vector<std::vector<int>> members;
  for (const auto& channel : plan_.trace.channels)
    members.push_back(
        plan_.trace.groups[static_cast<std::size_t>(channel.group)].members(control.rank(), control.size()));
  double sum = 0;
  for (std::size_t i = 0; i < plan_.trace.events.size(); ++i) {
    if (!is_call(plan_.trace.events[i])) continue;
    const auto& call = channels_.call(static_cast<int>(i));
    sum += needed_wire_bytes(resources_, *call.communicator, call.operation,
                             members[static_cast<std::size_t>(call.channel)]);
  }
  return sum;
}

}  // namespace ringmark::replay

#include "bench/harness/session.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/harness/algorithm_trial.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/summary.hpp"
#include "bench/harness/verify.hpp"
#include "results/files/rank_hosts.hpp"
#include "results/statistics/statistics.hpp"
#include "transports/exchange.hpp"

namespace ringmark {

Session::Session(Collective collective, const BenchOptions& options, RankResources& resources,
                 Communicator& communicator, std::string run_id, Sink* sink, const GroupKind* groups)
    : collective_(collective),
      options_(options),
      resources_(resources),
      communicator_(communicator),
      run_id_(std::move(run_id)),
      sink_(sink),
      groups_(groups) {}

const Operation& Session::operation_of(const Setting& setting, int ranks) const {
  if (setting != last_setting_) operations_.clear();
  last_setting_ = setting;
  const auto found = operations_.find(ranks);
  if (found != operations_.end()) return found->second;
  auto operation = operation_for(collective_, options_, setting.type, setting.op, ranks, setting.size_bytes);
  return operations_.emplace(ranks, std::move(operation)).first->second;
}

Operation Session::own_operation(const Setting& setting) const {
  if (is_idle()) return {.collective = collective_, .type = setting.type, .op = setting.op};
  return operation_of(setting, communicator_.size());
}

int Session::run() {
  std::size_t send_bytes = 0, recv_bytes = 0;
  const auto for_each_setting = [&](const auto& body) {
    for (const auto type : options_.datatypes) {
      for (const auto op : options_.ops_of(collective_)) {
        for (const auto size : options_.sizes.sizes()) body(Setting{type, op, size});
      }
    }
  };
  for_each_setting([&](const Setting& setting) {
    const auto layout = layout_of(own_operation(setting), communicator_.size(), communicator_.rank());
    send_bytes = std::max(send_bytes, layout.send_bytes);
    recv_bytes = std::max(recv_bytes, layout.recv_bytes);
  });
  RunBuffers buffers(communicator_.memory(), send_bytes, recv_bytes);
  const auto spans = buffers.spans();
  const KeptMemory kept_send(communicator_, spans[0]), kept_recv(communicator_, spans[1]);
  const auto measure_and_tell = [&](const Setting& setting, bool in_place) {
    const auto rows = measure_rows(setting, in_place, buffers);
    if (sink_ == nullptr) return;
    for (const auto& row : rows) sink_->add(row.record, row.samples);
  };
  for_each_setting([&](const Setting& setting) {
    settle_algorithm(setting, buffers);
    if (options_.out_of_place) measure_and_tell(setting, false);
    if (options_.in_place) measure_and_tell(setting, true);
  });
  if (!anything_measured_) return exit_unusable;
  return all_right_ ? exit_ok : exit_wrong;
}

/// Groups of different sizes have different contenders, so the model decides for them.
void Session::settle_algorithm(const Setting& setting, RunBuffers& buffers) {
  const auto operation = own_operation(setting);
  const bool in_place = !options_.out_of_place;
  if (why_unsupported(operation, in_place)) return;
  if (groups_ != nullptr) {
    const auto differs = [&](const auto& group) { return group.size() != groups_->groups.front().size(); };
    if (std::any_of(groups_->groups.begin(), groups_->groups.end(), differs)) return;
  }
  auto record = describe_all(setting, in_place).back().record;
  record_failure(sink_, record, [&] {
    try_algorithms(communicator_, *resources_.control, operation,
                   buffers.get(operation, communicator_.rank(), in_place), options_.max_time, options_.timeout);
  });
  resources_.backend->keep_choices(options_);
}

std::vector<Session::Row> Session::measure_rows(const Setting& setting, bool in_place, RunBuffers& buffers) {
  const auto operation = own_operation(setting);
  auto rows = describe_all(setting, in_place);
  auto reason = why_unsupported(operation, in_place);
  if (!reason) reason = try_out(operation, in_place, buffers, rows.back().record);
  if (reason) {
    for (auto& row : rows) {
      row.record.status = Status::unsupported;
      row.record.detail = *reason;
    }
    return rows;
  }
  auto& whole = rows.back().record;
  record_failure(sink_, whole, [&] {
    try {
      measure_into(rows, operation, in_place, buffers);
    } catch (const TimedOut& error) {
      throw TimedOut(fmt::format("{} of {} B{}: {}", name(collective_), whole.size_bytes, in_place ? " in place" : "",
                                 error.what()),
                     error.is_told());
    }
  });
  anything_measured_ = true;
  for (const auto& row : rows) {
    if (is_not_as_asked(row.record.status)) all_right_ = false;
  }
  return rows;
}

std::optional<std::string> Session::why_unsupported(const Operation& operation, bool in_place) const {
  auto reason = communicator_.why_unsupported(operation, in_place);
  if (!reason && has_block_per_rank(collective_) && total_bytes(operation, communicator_.size()) == 0)
    reason = operation.counts ? "all counts are less than one element" : "the size is less than one element per rank";
  if (groups_ == nullptr) return reason;
  // Groups may differ in size. If one cannot run the operation, none does.
  const auto all = exchange(*resources_.control, "unsupported", is_idle() ? std::string() : reason.value_or(""));
  const auto first = std::find_if_not(all.begin(), all.end(), [](const auto& each) { return each.empty(); });
  return first == all.end() ? std::nullopt : std::optional(*first);
}

std::optional<std::string> Session::try_out(const Operation& operation, bool in_place, RunBuffers& buffers,
                                            Record& record) {
  std::string refusal;
  auto* device = communicator_.device();
  if (device == nullptr) return std::nullopt;
  record_failure(sink_, record, [&] {
    if (!is_idle())
      refusal = device->try_out(operation, buffers.get(operation, communicator_.rank(), in_place), options_.timeout)
                    .value_or("");
    if (groups_ == nullptr) return;
    for (const auto& each : exchange(*resources_.control, "refusal", refusal)) {
      if (refusal.empty()) refusal = each;
    }
  });
  return refusal.empty() ? std::nullopt : std::optional(refusal);
}

Record Session::describe(const Operation& operation, bool in_place, int ranks) const {
  Record record = describe_row(options_, resources_, run_id_);
  record.ranks = ranks;
  record.algorithm = options_.algorithm;
  record.collective = collective_;
  if (operation.root != 0) record.settings.root = operation.root;
  if (operation.pattern != Pattern::ring) record.settings.pattern = operation.pattern;
  if (operation.counts) record.settings.counts = options_.counts_text;
  record.datatype = operation.type;
  if (reduces(collective_)) record.op = operation.op;
  record.in_place = in_place ? 1 : 0;
  record.timing = options_.timing;
  record.size_bytes = total_bytes(operation, ranks);
  record.count = operation.count;
  record.start = options_.start;
  return record;
}

std::vector<Session::Row> Session::describe_all(const Setting& setting, bool in_place) const {
  std::vector<Row> rows;
  if (groups_ == nullptr) {
    const int ranks = communicator_.size();
    const auto operation = operation_of(setting, ranks);
    rows.push_back({describe(operation, in_place, ranks), {}, bus_factor(operation, ranks)});
    place_row(resources_.places.hosts, rows.back().record);
    return rows;
  }
  std::size_t largest = 0;
  for (std::size_t group = 0; group < groups_->groups.size(); ++group) {
    const auto& members = groups_->groups[group];
    if (members.size() > groups_->groups[largest].size()) largest = group;
    const int ranks = static_cast<int>(members.size());
    const auto operation = operation_of(setting, ranks);
    rows.push_back({describe(operation, in_place, ranks), {}, bus_factor(operation, ranks)});
    auto& record = rows.back().record;
    place_row(resources_.places.hosts, members, record);
    record.settings.groups = options_.groups_text;
    record.settings.group = groups_->name_of(group);
    record.settings.members = ranges_of(members);
    record.settings.beside = groups_->groups.size() == 1 ? Company::alone : Company::together;
  }
  // The row of all groups describes the operation of the largest group. If all have the same size, its bandwidth is the
  // slowest group's.
  rows.push_back(rows[largest]);
  rows.back().record.settings.group = groups_->name;
  std::vector<std::string> hosts_of_members;
  for (std::size_t rank = 0; rank < resources_.places.hosts.size(); ++rank) {
    if (groups_->group_of(static_cast<int>(rank))) hosts_of_members.push_back(resources_.places.hosts[rank]);
  }
  rows.back().record.settings.hosts = rank_hosts_text(hosts_of_members);
  rows.back().record.settings.members.clear();
  return rows;
}

/// Each group may choose differently.
void Session::add_choices(std::vector<Row>& rows, const Operation& operation, bool in_place) const {
  const auto set = [](Record& record, const Choice& choice) {
    record.algorithm_used = choice.algorithm;
    record.protocol_used = choice.protocol;
    record.channels_used = choice.channels;
  };
  const auto mine = communicator_.choice_for(operation, in_place);
  if (groups_ == nullptr) return set(rows.front().record, mine);
  using Told = std::tuple<std::string, std::string, int>;
  const auto all =
      exchange(*resources_.control, "choice", Told(mine.algorithm, mine.protocol, mine.channels.value_or(-1)));
  for (std::size_t group = 0; group < group_count(); ++group) {
    const auto& [algorithm, protocol, channels] = all[static_cast<std::size_t>(groups_->groups[group].front())];
    set(rows[group].record, {algorithm, protocol, channels < 0 ? std::nullopt : std::optional(channels)});
  }
  rows.back().record.algorithm_used = rows.front().record.algorithm_used;
}

void Session::measure_into(std::vector<Row>& rows, const Operation& operation, bool in_place, RunBuffers& buffers) {
  auto& control = *resources_.control;
  auto& backend = *resources_.backend;
  MeasurePlan plan{.operation = operation, .in_place = in_place, .timing = options_.timing, .time = options_};
  plan.start = options_.start;
  plan.check = options_.check;
  for (const auto& row : rows)
    plan.check = plan.check && has_exact_result(operation, row.record.ranks, communicator_.rounds_averages());
  plan.rotate = backend.rotates_buffers();
  if (options_.timing == Timing::batch && options_.iterations) {
    plan.batch_operations = *options_.iterations;  // as nccl-tests does: one batch of this many
    plan.time.iterations = 1;
  }
  // Raw samples of all ranks are kept in memory until the row is written.
  constexpr int kept_samples = 2'000'000;
  plan.time.most_samples = std::clamp(kept_samples / control.size(), 1000, plan.time.most_samples);
  for (int rank = 0; groups_ != nullptr && rank < control.size(); ++rank)
    plan.group_of_rank.push_back(groups_->group_of(rank));

  add_choices(rows, operation, in_place);
  PathCounters counters(backend.way_out());
  auto measured = measure(communicator_, control, buffers, plan, [&](bool on) { counters.count(on); });
  std::vector<int> members;
  if (groups_ != nullptr && !is_idle()) members = groups_->groups[*groups_->group_of(control.rank())];
  const double needed = is_idle() ? 0 : needed_wire_bytes(resources_, communicator_, operation, members);
  const auto evidence = exchange(control, "counters", evidence_of(counters, needed));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& record = rows[i].record;
    const bool is_group = i < group_count();
    const auto part = is_group ? measured.groups[i]
                               : GroupMeasurement{measured.times_us, measured.slowest_rank, measured.wrong_elements};
    const int watched = is_group ? groups_->groups[i].front() : 0;
    auto path = find_path(evidence, backend.way_out(), resources_.places, measured.operations,
                          part.slowest_rank.value_or(watched));
    if (is_group) path.least_us = 0;  // it is based on the bytes of all groups
    summarise(part.times_us, record);
    const bool has_work = backend.has_work(operation, in_place, record.ranks);
    if (has_work) add_bandwidths(rows[i].bus_factor, record);
    record.slowest_rank = part.slowest_rank;
    record.wrong_elements = part.wrong_elements;
    record.stop_reason = measured.stop_reason;
    judge(path, backend.way_out(), {.count = part.wrong_elements.value_or(0)}, record);
    if (!is_group) {
      record.entry_skew_us_p50 = Sorted(measured.skews_us).median();
      if (!measured.issue_us.empty()) {
        record.issue_us_p50 = Sorted(measured.issue_us).median();
        if (has_work) record.device_us_p50 = Sorted(measured.device_us).median();
      }
    }
    if (options_.check && !plan.check && record.detail.empty())
      record.detail = "not checked: averages over this many ranks are rounded";
    backend.judge(record, resources_);
  }
  rows.back().samples = std::move(measured.samples);
}

}  // namespace ringmark

#include "bench/harness/session.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/summary.hpp"
#include "bench/harness/verify.hpp"
#include "results/statistics.hpp"

namespace ringmark {

Session::Session(Collective collective, const BenchOptions& options, RankResources& resources,
                 Communicator& communicator, RunId run_id, Sink* sink)
    : collective_(collective),
      options_(options),
      resources_(resources),
      communicator_(communicator),
      run_id_(std::move(run_id)),
      sink_(sink) {}

int Session::run() {
  const int ranks = resources_.control->size();
  std::size_t send_bytes = 0, recv_bytes = 0;
  const auto for_each_operation = [&](const auto& body) {
    for (const auto type : options_.datatypes) {
      for (const auto op : options_.ops_of(collective_)) {
        for (const auto size : options_.sizes.sizes()) {
          body(Operation{collective_, type, op, count_for(collective_, type, ranks, size)});
        }
      }
    }
  };
  for_each_operation([&](const Operation& operation) {
    const auto layout = layout_of(operation, ranks);
    send_bytes = std::max(send_bytes, layout.send_bytes);
    recv_bytes = std::max(recv_bytes, layout.recv_bytes);
  });
  RunBuffers buffers(communicator_.memory(), send_bytes, recv_bytes);
  const auto spans = buffers.spans();
  const KeptMemory kept_send(communicator_, spans[0]), kept_recv(communicator_, spans[1]);
  for_each_operation([&](const Operation& operation) {
    if (options_.out_of_place) measure_row(operation, false, buffers);
    if (options_.in_place) measure_row(operation, true, buffers);
  });
  if (!anything_measured_) return exit_unusable;
  return all_right_ ? exit_ok : exit_wrong;
}

void Session::measure_row(const Operation& operation, bool in_place, RunBuffers& buffers) {
  Record record = describe(operation, in_place);
  Samples samples;
  if (const auto reason = communicator_.why_unsupported(operation, in_place)) {
    record.status = Status::unsupported;
    record.detail = *reason;
  } else if (has_block_per_rank(collective_) && operation.count == 0) {
    record.status = Status::unsupported;
    record.detail = "the size is less than one element per rank";
  } else if (const auto refusal = try_out(operation, in_place, buffers, record)) {
    record.status = Status::unsupported;
    record.detail = *refusal;
  } else {
    record_failure(sink_, record, [&] {
      try {
        measure_into(record, samples, operation, in_place, buffers);
      } catch (const TimedOut& error) {
        throw TimedOut(fmt::format("{} of {} B{}: {}", name(collective_), record.size_bytes,
                                   in_place ? " in place" : "", error.what()),
                       error.is_told());
      }
    });
    anything_measured_ = true;
  }
  if (is_not_as_asked(record.status)) all_right_ = false;
  if (sink_ != nullptr) sink_->add(record, samples);
}

std::optional<std::string> Session::try_out(const Operation& operation, bool in_place, RunBuffers& buffers,
                                            Record& record) {
  std::optional<std::string> refusal;
  auto* device = communicator_.device();
  if (device == nullptr) return refusal;
  record_failure(sink_, record, [&] {
    refusal = device->try_out(operation, buffers.get(operation, resources_.control->rank(), record.ranks, in_place),
                              options_.timeout);
  });
  return refusal;
}

Record Session::describe(const Operation& operation, bool in_place) const {
  const int ranks = resources_.control->size();
  Record record = describe_row(options_, resources_, run_id_);
  record.algorithm = options_.algorithm;
  record.collective = collective_;
  record.datatype = operation.type;
  if (reduces(collective_)) record.op = operation.op;
  record.in_place = in_place ? 1 : 0;
  record.timing = options_.timing;
  record.size_bytes = layout_of(operation, ranks).total_bytes;
  record.count = operation.count;
  record.start = Start::barrier;
  return record;
}

void Session::measure_into(Record& record, Samples& samples, const Operation& operation, bool in_place,
                           RunBuffers& buffers) {
  auto& control = *resources_.control;
  MeasurePlan plan{.operation = operation, .in_place = in_place, .timing = options_.timing, .time = options_};
  plan.check = options_.check && has_exact_result(operation, record.ranks, communicator_.rounds_averages());
  plan.rotate = resources_.backend->rotates_buffers();
  if (options_.timing == Timing::batch && options_.iterations) {
    plan.batch_operations = *options_.iterations;  // as nccl-tests: one batch of so many
    plan.time.iterations = 1;
  }
  // Raw samples of all ranks are kept in memory until the row is written.
  constexpr int kept_samples = 2'000'000;
  plan.time.most_samples = std::clamp(kept_samples / control.size(), 1000, plan.time.most_samples);

  const auto choice = communicator_.choice_for(operation, plan.in_place);
  record.algorithm_used = choice.algorithm;
  record.protocol_used = choice.protocol;
  record.channels_used = choice.channels;
  PathCounters counters(resources_.backend->way_out());
  auto measured = measure(communicator_, control, buffers, plan, [&](bool on) { counters.count(on); });
  const auto path =
      find_path(control, counters, resources_.places, needed_wire_bytes(resources_, communicator_, operation),
                measured.operations, measured.slowest_rank.value_or(0));
  summarise(measured.times_us, record);
  const bool has_work = resources_.backend->has_work(operation, in_place, record.ranks);
  if (has_work) add_bandwidths(bus_factor(collective_, record.ranks), record);
  record.entry_skew_us_p50 = Sorted(measured.skews_us).median();
  record.slowest_rank = measured.slowest_rank;
  record.wrong_elements = measured.wrong_elements;
  record.stop_reason = measured.stop_reason;
  judge(path, resources_.backend->way_out(), {.count = measured.wrong_elements.value_or(0)}, record);
  if (!measured.issue_us.empty()) {
    record.issue_us_p50 = Sorted(measured.issue_us).median();
    if (has_work) record.device_us_p50 = Sorted(measured.device_us).median();
  }
  if (options_.check && !plan.check && record.detail.empty())
    record.detail = "not checked: averages of so many ranks are rounded";
  resources_.backend->judge(record, resources_);
  samples = std::move(measured.samples);
}

}  // namespace ringmark

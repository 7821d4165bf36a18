#include "replay/import/call_recorder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "transports/nccl/names.hpp"

namespace ringmark::replay {

void CallRecorder::communicator(const std::string& key, int rank, int ranks, const std::string& id) {
  index_[key] = static_cast<int>(imported_.communicators.size());
  imported_.communicators.push_back({rank, ranks, {}, id});
}

void CallRecorder::know_ranks(const std::string& key, int ranks) {
  auto& seen = imported_.communicators[static_cast<std::size_t>(index_of(key))];
  if (seen.ranks == 0) seen.ranks = ranks;
}

int CallRecorder::index_of(const std::string& key) {
  const auto found = index_.find(key);
  if (found != index_.end()) return found->second;
  constexpr int unknown_rank = -1;
  communicator(key, unknown_rank, 0);  // its members were not recorded
  return index_.at(key);
}

void CallRecorder::call(const RecordedCall& made) {
  const auto& function = made.function;
  const auto datatype = datatype_of_nccl(made.type);
  const bool is_custom = made.op > nccl_number(ReduceOp::avg);  // ncclRedOpCreatePreMulSum makes the only ones
  const auto reduction = is_custom ? ReduceOp::sum : reduce_op_of_nccl(made.op);
  const int index = index_of(made.communicator);
  const bool is_message = function == "Send" || function == "Recv";
  if (!is_message || batch_communicator_ != index || batch_launch_ != made.launch) batch_ = -1;
  has_times_ = has_times_ || made.at_us > 0;
  if (made.count > most_elements || made.root < 0) return skip("call with impossible numbers");
  if (!datatype) return skip(fmt::format("{} of NCCL's type {}", function, made.type));
  if (is_message) {
    add_message({function == "Send", made.root, made.count, *datatype}, index, made);
  } else {
    const auto collective = collective_of_nccl(function == "Bcast" ? "Broadcast" : function);
    if (!collective) return skip(function);
    if (reduces(*collective) && !reduction) return skip(fmt::format("{} with an unknown reduction", function));
    if (reduces(*collective) && is_custom) ++scaled_sums_;
    const auto ranks =
        static_cast<std::uint64_t>(std::max(1, imported_.communicators[static_cast<std::size_t>(index)].ranks));
    add(*collective, has_block_per_rank(*collective) ? made.count * ranks : made.count, *datatype,
        reduction.value_or(ReduceOp::sum), made.root, index, computed_until(made.at_us));
  }
  last_end_us_ = made.at_us + made.took_us;
}

void CallRecorder::add(Collective collective, std::uint64_t elements, DataType type, ReduceOp op, int root,
                       int communicator, double computed_us) {
  if (elements == 0) return skip(fmt::format("{} of nothing", name(collective)));
  Call call{collective, elements, type, root, Phase::backward, true, 0};
  call.op = op;
  call.communicator = communicator;
  call.computed_us = computed_us;
  imported_.calls.push_back(call);
}

void CallRecorder::add_message(const Message& message, int communicator, const RecordedCall& made) {
  const bool is_alone = open_groups_ == 0 && !made.launch;
  const bool is_first = is_alone || batch_ < 0;
  if (is_first) batch_ = is_alone ? -1 : batches_++;
  batch_communicator_ = communicator;
  batch_launch_ = made.launch;
  auto call = call_of(message, Phase::backward);
  call.communicator = communicator;
  call.batch = batch_;
  if (is_first) call.computed_us = computed_until(made.at_us);
  imported_.calls.push_back(std::move(call));
}

void CallRecorder::group_begins() {
  if (open_groups_++ > 0) return;
  batch_ = -1;
  before_ = {imported_.calls.size(), imported_.not_understood, last_end_us_};
}

void CallRecorder::group_ends() {
  open_groups_ = std::max(0, open_groups_ - 1);
  batch_ = -1;
}

void CallRecorder::group_was_not_made(const std::string& what) {
  const bool is_outermost = open_groups_ == 1;
  open_groups_ = std::max(0, open_groups_ - 1);
  if (!is_outermost) return;
  batch_ = -1;
  imported_.calls.resize(before_.calls);
  imported_.not_understood = before_.not_understood;
  last_end_us_ = before_.last_end_us;
  skip(what);
}

/// The host's time between calls; time before the first call belongs to no step.
double CallRecorder::computed_until(double at_us) const {
  return imported_.calls.empty() || !has_times_ ? 0 : std::max(0.0, at_us - last_end_us_);
}

Imported CallRecorder::finish(std::string format) {
  if (open_groups_ > 0) {
    open_groups_ = 1;
    group_was_not_made("group whose end was not recorded");
  }
  imported_.format = std::move(format);
  std::erase_if(imported_.not_understood, [](const auto& each) { return each.second == 0; });
  imported_.is_of_a_run = true;
  if (scaled_sums_ > 0)
    imported_.remarks.push_back(
        fmt::format("{} calls with a custom reduction (ncclRedOpCreatePreMulSum) are treated as sums", scaled_sums_));
  if (has_times_)
    imported_.remarks.emplace_back(
        "times between calls are the host's: they include communication where the host waited for the device");
  return std::move(imported_);
}

}  // namespace ringmark::replay

#include "bench/replay/import/call_recorder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "transports/nccl/log_lines.hpp"

namespace ringmark::replay {

void CallRecorder::communicator(const std::string& key, int rank, int ranks) {
  index_[key] = static_cast<int>(imported_.communicators.size());
  imported_.communicators.push_back({rank, ranks, {}});
}

void CallRecorder::know_ranks(const std::string& key, int ranks) {
  auto& seen = imported_.communicators[static_cast<std::size_t>(index_of(key))];
  if (seen.ranks == 0) seen.ranks = ranks;
}

int CallRecorder::index_of(const std::string& key) {
  const auto found = index_.find(key);
  if (found != index_.end()) return found->second;
  communicator(key, 0, 0);  // who is in it was not recorded
  return index_.at(key);
}

void CallRecorder::call(const std::string& function, std::uint64_t count, int type, int op, int root,
                        const std::string& communicator, double at_us, double took_us) {
  const auto datatype = datatype_of_nccl(type);
  const auto reduction = reduce_op_of_nccl(op);
  const int index = index_of(communicator);
  const bool is_message = function == "Send" || function == "Recv";
  if (!is_message || messages_.communicator != index) flush_messages();
  has_times_ = has_times_ || at_us > 0;
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;
  if (count > most_elements || root < 0) return skip("call whose numbers cannot be");
  if (!datatype) return skip(fmt::format("{} of NCCL's type {}", function, type));
  if (is_message) {
    const bool is_first = messages_.sends + messages_.receives == 0;
    if (is_first) messages_ = {index, 0, 0, count, *datatype, true, at_us};
    messages_.is_even = messages_.is_even && count == messages_.count && *datatype == messages_.type;
    ++(function == "Send" ? messages_.sends : messages_.receives);
  } else {
    const auto collective = collective_of_nccl(function == "Bcast" ? "Broadcast" : function);
    if (!collective) return skip(function);
    if (reduces(*collective) && !reduction) return skip(fmt::format("{} with an own reduction", function));
    const auto ranks =
        static_cast<std::uint64_t>(std::max(1, imported_.communicators[static_cast<std::size_t>(index)].ranks));
    const bool has_blocks = *collective == Collective::all_gather || *collective == Collective::reduce_scatter ||
                            *collective == Collective::all_to_all;
    add(*collective, has_blocks ? count * ranks : count, *datatype, reduction.value_or(ReduceOp::sum), root, index,
        at_us);
  }
  last_end_us_ = at_us + took_us;
}

void CallRecorder::add(Collective collective, std::uint64_t elements, DataType type, ReduceOp op, int root,
                       int communicator, double at_us) {
  if (elements == 0) return skip(fmt::format("{} of nothing", name(collective)));
  Call call{collective, elements, type, root, Phase::backward, true, 0};
  call.op = op;
  call.communicator = communicator;
  if (!imported_.calls.empty() && has_times_) call.computed_us = std::max(0.0, at_us - last_end_us_);
  imported_.calls.push_back(call);
}

/// A message to each rank and one from each, of one length, is how all_to_all is made of messages.
void CallRecorder::flush_messages() {
  const auto messages = std::exchange(messages_, {});
  if (messages.communicator < 0 || messages.sends + messages.receives == 0) return;
  const int ranks = imported_.communicators[static_cast<std::size_t>(messages.communicator)].ranks;
  if (messages.is_even && ranks > 1 && messages.sends == ranks && messages.receives == ranks) {
    add(Collective::all_to_all, messages.count * static_cast<std::uint64_t>(ranks), messages.type, ReduceOp::sum, 0,
        messages.communicator, messages.at_us);
  } else {
    imported_.not_understood["Send"] += messages.sends;
    imported_.not_understood["Recv"] += messages.receives;
  }
}

Imported CallRecorder::finish(std::string format) {
  flush_messages();
  imported_.format = std::move(format);
  std::erase_if(imported_.not_understood, [](const auto& each) { return each.second == 0; });
  if (const auto round = last_round(imported_.calls)) {
    imported_.remarks.push_back(
        fmt::format("goes {} times through the same {} calls, of which the last whole round is "
                    "taken for a step",
                    round->rounds, round->end - round->begin));
    auto& calls = imported_.calls;
    calls = std::vector<Call>(calls.begin() + static_cast<std::ptrdiff_t>(round->begin),
                              calls.begin() + static_cast<std::ptrdiff_t>(round->end));
  }
  if (has_times_)
    imported_.remarks.emplace_back(
        "times between calls are the host's: where it waited for the device, communication is in them too");
  return std::move(imported_);
}

std::optional<Round> last_round(const std::vector<Call>& calls) {
  const auto size = calls.size();
  const auto from_end = [&](std::size_t i) -> const Call& { return calls[size - 1 - i]; };
  // Borders of all prefixes of the reversed calls (Knuth, Morris and Pratt): a prefix of length L whose longest border
  // is B goes round every L - B calls.
  std::vector<std::size_t> border(size);
  std::size_t period = 0, covered = 0;
  for (std::size_t i = 1, b = 0; i < size; ++i) {
    while (b > 0 && !is_same_call(from_end(i), from_end(b))) b = border[b - 1];
    if (is_same_call(from_end(i), from_end(b))) ++b;
    border[i] = b;
    const auto length = i + 1, step = length - b;
    constexpr std::size_t least_rounds = 3;
    if (length >= least_rounds * step && length > covered) period = step, covered = length;
  }
  if (period == 0) return std::nullopt;
  // Rounds begin where the pauses before, added over all rounds, are longest.
  std::vector<double> pauses(period);
  for (std::size_t i = size - covered; i < size; ++i) pauses[(size - i) % period] += calls[i].computed_us;
  const auto longest = static_cast<std::size_t>(std::max_element(pauses.begin(), pauses.end()) - pauses.begin());
  const auto end = size - longest;
  return Round{end - period, end, covered / period};
}

}  // namespace ringmark::replay

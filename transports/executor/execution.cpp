#include "transports/executor/execution.hpp"

#include <algorithm>

#include "transports/memory/stream_copy.hpp"
#include "transports/schedules/chunk.hpp"

namespace ringmark {
namespace {

using Space = Location::Space;

/// In vectors of at least this size, a rank's copy of its own block has left the cache before anyone reads it, so it is
/// copied past the cache. That saves a sixth of the time in an all-gather of 16 MiB on four ranks; it gained nothing
/// for results of reductions.
constexpr std::size_t past_cache_bytes = 8 << 20;

}  // namespace

Slicing choose_slicing(const Operation& operation, int ranks, int chunks, int scratch_slots, std::size_t least_bytes,
                       std::size_t most_bytes) {
  constexpr std::size_t lanes = usual_slices;
  constexpr std::size_t scratch_bytes = 8 << 20;
  const std::size_t element = size_bytes(operation.type);
  const std::size_t longest_bytes = ChunkLayout(operation, 0, ranks, chunks).longest() * element;

  std::size_t most = most_bytes;
  if (scratch_slots > 0) {
    const auto slots = static_cast<std::size_t>(scratch_slots);
    most = std::min(most, std::max(scratch_bytes / slots / lanes, std::size_t{4096}));
  }
  if (operation.counts && is_sharded(operation.collective)) {
    // Ranks with an empty block have nothing to send at first: in a ring they wait until slices have passed through the
    // ranks before them. All of these slices together should be a small part of the whole.
    constexpr std::size_t shares = 64;
    const auto share = total_bytes(operation, ranks) / (shares * static_cast<std::size_t>(ranks));
    most = std::min(most, std::max(share, least_bytes));
  }
  // Slices are whole cache lines: the kernel copies to and from unaligned addresses at half the rate.
  constexpr std::size_t line_bytes = 64, worth_it_bytes = 16 << 10;
  const std::size_t unit = std::max(element, most >= worth_it_bytes ? line_bytes : 1);
  most = std::max(most / unit * unit, unit);
  const auto rounded_up = [](std::size_t part, std::size_t whole) { return (part + whole - 1) / whole; };
  const std::size_t slices =
      std::max({rounded_up(longest_bytes, most), std::min(lanes, longest_bytes / least_bytes), std::size_t{1}});
  const std::size_t bytes = rounded_up(rounded_up(longest_bytes, slices), unit) * unit;
  return {std::max(bytes, unit) / element, static_cast<int>(lanes)};
}

void Execution::begin(const Program& program, const Operation& operation, Buffers buffers, Slicing slicing) {
  program_ = &program;
  input_ = const_cast<std::byte*>(static_cast<const std::byte*>(buffers.send));  // never written
  output_ = static_cast<std::byte*>(buffers.recv);
  const bool has_blocks = is_sharded(operation.collective);
  output_is_block_ = has_blocks && sends_all_blocks(operation.collective);
  input_is_block_ = has_blocks && !output_is_block_;
  element_bytes_ = size_bytes(operation.type);
  layout_ = ChunkLayout(operation, fabric_.rank(), fabric_.size(), program.chunks);
  past_cache_ =
      total_bytes(operation, fabric_.size()) >= past_cache_bytes && fabric_.memory().kind() == MemoryKind::host;
  slice_ = slicing.elements;
  lanes_ = static_cast<std::size_t>(slicing.lanes);
  slices_ = (layout_.longest() + slice_ - 1) / slice_;
  lanes_ = std::clamp<std::size_t>(slices_, 1, lanes_);
  windows_ = (slices_ + lanes_ - 1) / lanes_;
  for (const bool last : {false, true}) {
    reductions_[last] = reduction_for(operation.type, operation.op, fabric_.size(), last);
  }
  const std::size_t needed_bytes = static_cast<std::size_t>(program.scratch_slots) * lanes_ * slice_ * element_bytes_;
  if (scratch_.size() < needed_bytes) {
    fabric_.forget(scratch_.span());
    scratch_ = Block(fabric_.memory(), needed_bytes);
    fabric_.keep(scratch_.span());
  }

  next_send_ = next_receive_ = {};
  if (program.sends.empty()) next_send_.window = windows_;
  if (program.receives.empty()) next_receive_.window = windows_;
  sends_.clear();
  receives_.clear();
  sends_done_ = receives_done_ = 0;
  copy_chunk_ = copy_bytes_ = 0;
}

bool Execution::advance() {
  bool moved = true;
  while (moved) {
    moved = retire_receives();
    moved |= retire_sends();
    moved |= post_receives();
    moved |= post_sends();
  }
  const bool all_posted = next_send_.window == windows_ && next_receive_.window == windows_;
  return all_posted && sends_.empty() && receives_.empty() && copy_chunk_ == program_->local_copies.size();
}

bool Execution::copy_some() {
  constexpr std::size_t portion_bytes = 256 << 10;
  if (copy_chunk_ == program_->local_copies.size()) return false;
  const int chunk = program_->local_copies[copy_chunk_];
  const std::size_t bytes = layout_.output(chunk).length * element_bytes_;
  const std::size_t portion = std::min(portion_bytes, bytes - copy_bytes_);
  if (portion > 0) {
    std::byte* to = address({Space::output, chunk}, {}) + copy_bytes_;
    const std::byte* from = address({Space::input, chunk}, {}) + copy_bytes_;
    past_cache_ ? stream_copy(to, from, portion) : fabric_.memory().copy(to, from, portion);
  }
  copy_bytes_ += portion;
  if (copy_bytes_ == bytes) ++copy_chunk_, copy_bytes_ = 0;
  return true;
}

int Execution::awaited_peer() const {
  if (!receives_.empty()) return program_->receives[receives_.front().position.entry].peer;
  if (!sends_.empty()) return program_->sends[sends_.front().position.entry].peer;
  return -1;
}

std::size_t Execution::lanes_in(std::size_t window) const { return std::min(lanes_, slices_ - window * lanes_); }

void Execution::step(Position& position, std::size_t entries) const {
  if (++position.lane < lanes_in(position.window)) return;
  position.lane = 0;
  if (++position.entry < entries) return;
  position.entry = 0;
  ++position.window;
}

/// The number of sends (or receives) that must be complete for the first `entries_before` entries of this window and
/// lane to be complete.
std::size_t Execution::needed(const Position& at, int entries_before, std::size_t entries) const {
  if (entries_before == 0) return 0;
  const auto last = static_cast<std::size_t>(entries_before - 1);
  return at.window * lanes_ * entries + last * lanes_in(at.window) + at.lane + 1;
}

std::size_t Execution::needed_of_previous(const Position& at, int entries_before, std::size_t entries) const {
  if (at.window == 0) return 0;
  return needed({at.window - 1, at.entry, at.lane}, entries_before, entries);
}

template <class Entry>
std::size_t Execution::slice_bytes(const Entry& entry, const Position& at) const {
  const std::size_t length = layout_.length(entry.origin, entry.chunk);
  const std::size_t first = (at.window * lanes_ + at.lane) * slice_;
  return first >= length ? 0 : std::min(slice_, length - first) * element_bytes_;
}

std::byte* Execution::address(Location where, const Position& at) const {
  if (where.space == Space::scratch) {
    const std::size_t slot = static_cast<std::size_t>(where.index) * lanes_ + at.lane;
    return scratch_.data() + slot * slice_ * element_bytes_;
  }
  const bool is_input = where.space == Space::input;
  const bool is_block = is_input ? input_is_block_ : output_is_block_;
  const std::size_t chunk_offset =
      is_block ? 0 : (is_input ? layout_.input(where.index) : layout_.output(where.index)).offset;
  const std::size_t slice_offset = (at.window * lanes_ + at.lane) * slice_;
  return (is_input ? input_ : output_) + (chunk_offset + slice_offset) * element_bytes_;
}

bool Execution::can_send_next() const {
  if (next_send_.window == windows_ || sends_.full()) return false;
  const int receives = program_->sends[next_send_.entry].after_receives;
  return receives_done_ >= needed(next_send_, receives, program_->receives.size());
}

bool Execution::post_sends() {
  bool posted = false;
  while (can_send_next()) {
    const Position at = next_send_;
    const auto& send = program_->sends[at.entry];
    step(next_send_, program_->sends.size());
    auto& in_flight = sends_.push({0, at});
    posted = true;
    const std::span<const std::byte> message(address(send.from, at), slice_bytes(send, at));
    if (message.empty()) continue;
    const bool more = can_send_next() && program_->sends[next_send_.entry].peer == send.peer &&
                      slice_bytes(program_->sends[next_send_.entry], next_send_) > 0;
    in_flight.number = more ? fabric_.send_with_next(send.peer, message) : fabric_.send(send.peer, message);
  }
  return posted;
}

bool Execution::post_receives() {
  bool posted = false;
  for (; next_receive_.window < windows_ && !receives_.full(); step(next_receive_, program_->receives.size())) {
    const auto& receive = program_->receives[next_receive_.entry];
    const Position& at = next_receive_;
    if (receives_done_ < needed(at, receive.after_receives, program_->receives.size()) ||
        receives_done_ < needed_of_previous(at, receive.after_previous_receives, program_->receives.size()) ||
        sends_done_ < needed_of_previous(at, receive.after_previous_sends, program_->sends.size()) ||
        (!receive.staged && sends_done_ < needed(at, receive.after_sends, program_->sends.size()))) {
      break;
    }
    const std::size_t bytes = slice_bytes(receive, at);
    Incoming incoming{address(receive.staging, at), bytes};
    if (receive.combine != Combine::copy && !receive.staged) {
      incoming.local = address(receive.local, at);
      incoming.reduction = reduction(receive.combine);
    }
    receives_.push({bytes == 0 ? 0 : fabric_.receive(receive.peer, incoming), at});
    posted = true;
  }
  return posted;
}

bool Execution::retire_sends() {
  bool retired = false;
  while (!sends_.empty()) {
    const auto& [number, at] = sends_.front();
    if (number != 0 && fabric_.sent(program_->sends[at.entry].peer) < number) break;
    sends_.pop();
    ++sends_done_;
    retired = true;
  }
  return retired;
}

bool Execution::retire_receives() {
  bool retired = false;
  while (!receives_.empty()) {
    const auto& [number, at] = receives_.front();
    const auto& receive = program_->receives[at.entry];
    if (number != 0 && fabric_.received(receive.peer) < number) break;
    if (receive.staged && !finish_staged(receive, at)) break;
    receives_.pop();
    ++receives_done_;
    retired = true;
  }
  return retired;
}

bool Execution::finish_staged(const ProgramReceive& receive, const Position& at) {
  if (sends_done_ < needed(at, receive.after_sends, program_->sends.size())) return false;
  const std::size_t bytes = slice_bytes(receive, at);
  if (bytes == 0) return true;
  std::byte* to = address(receive.to, at);
  const std::byte* staged = address(receive.staging, at);
  if (receive.combine == Combine::copy) {
    fabric_.memory().copy(to, staged, bytes);
  } else {
    const std::byte* local = address(receive.local, at);
    reduction(receive.combine)(to, local, staged, bytes / element_bytes_);
  }
  return true;
}

}  // namespace ringmark

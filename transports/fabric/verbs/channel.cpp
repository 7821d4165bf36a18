#include "transports/fabric/verbs/channel.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

namespace ringmark {
namespace {

// Immediate data: the lowest bit distinguishes an eager write from an offered one; the bits above are the credits that
// it returns. Both ends use the same byte order.
constexpr std::uint32_t eager_mark = 0, offered_mark = 1;
constexpr unsigned mark_bits = 1;

std::uint32_t random_psn() {
  std::random_device random;
  return random() & 0xffffff;
}

}  // namespace

VerbsChannel::VerbsChannel(VerbsDevice& device, ibv::CompChannel* events, const VerbsOptions& options)
    : device_(device),
      options_(options),
      memory_(device, 2 * eager_slots * options.eager_bytes + (receive_depth + send_depth) * sizeof(Control)),
      pair_(device, events, send_depth, receive_depth),
      card_(describe_port(device, options)) {
  for (std::size_t i = 0; i < receive_depth; ++i) post_receive(i);
  card_.qp_num = pair_.number();
  card_.psn = random_psn();
  card_.eager_address = reinterpret_cast<std::uint64_t>(memory_.data());
  card_.eager_key = memory_.registration().rkey;
}

bool VerbsChannel::connect(const ConnectionCard& peer) {
  peer_ = peer;
  return pair_.connect(device_, card_, peer, options_);
}

void VerbsChannel::send(std::span<const std::byte> message) {
  sends_.push_back({message, message.size() <= options_.eager_bytes});
}

void VerbsChannel::receive(const Incoming& incoming) {
  const bool eager = incoming.bytes <= options_.eager_bytes;
  const auto* kept = eager || incoming.reduction ? nullptr : device_.find_kept(incoming.to, incoming.bytes);
  receives_.push_back({Delivery(incoming, device_.memory()), incoming.to, kept, incoming.bytes, 0, eager});
}

std::size_t VerbsChannel::pump(bool& moved) {
  const auto before = sent_ + received_;
  moved |= poll();
  moved |= deliver();
  make_offers();
  moved |= send_control();
  moved |= send_messages();
  return sent_ + received_ - before;
}

bool VerbsChannel::poll() {
  std::array<ibv::Wc, 16> completions;
  bool any = false;
  for (;;) {
    const auto taken = pair_.poll(completions);
    for (const auto& completion : taken) handle(completion);
    any |= !taken.empty();
    if (taken.size() < completions.size()) return any;
  }
}

void VerbsChannel::handle(const ibv::Wc& completion) {
  if (completion.status != ibv::wc_success) throw CompletionError(completion.status);
  if (completion.opcode == ibv::wc_recv) {
    Control control;
    const auto first = 2 * eager_slots * options_.eager_bytes;
    std::memcpy(&control, memory_.data() + first + completion.wr_id * sizeof control, sizeof control);
    credits_ += control.credits;
    for (std::size_t i = 0; i < std::min<std::size_t>(control.offers, offers_per_control); ++i) {
      offers_.push_back(control.offer[i]);
    }
  } else if (completion.opcode == ibv::wc_recv_rdma_with_imm) {
    const auto mark = completion.imm_data & ((1U << mark_bits) - 1);
    ++(mark == eager_mark ? eager_arrived_ : offered_arrived_);
    credits_ += completion.imm_data >> mark_bits;
  } else {
    retire(completion.wr_id);
    return;
  }
  post_receive(completion.wr_id);
}

void VerbsChannel::retire(std::uint64_t number) {
  while (!in_flight_.empty() && in_flight_.front().number <= number) {
    const auto& over = in_flight_.front();
    sent_ += static_cast<std::uint64_t>(over.messages);
    unfinished_ -= static_cast<std::size_t>(over.messages);
    if (over.frees_staging) --staging_used_;
    in_flight_.pop_front();
  }
}

void VerbsChannel::post_receive(std::size_t index) {
  const auto first = 2 * eager_slots * options_.eager_bytes;
  ibv::Sge place{reinterpret_cast<std::uint64_t>(memory_.data() + first + index * sizeof(Control)), sizeof(Control),
                 memory_.registration().lkey};
  ibv::RecvWr request{index, nullptr, &place, 1};
  pair_.post(request);
}

void VerbsChannel::make_offers() {
  while (next_to_offer_ < receives_.size() && offered_.size() < most_offers) {
    auto& receive = receives_[next_to_offer_];
    if (!receive.eager && receive.kept != nullptr) {
      constexpr std::size_t most_bytes = 1U << 30U;  // a work request is limited to 2 GiB
      const auto bytes = static_cast<std::uint32_t>(std::min(most_bytes, receive.bytes - receive.offered));
      const auto* place = receive.begin + receive.offered;
      offered_.push_back({bytes, -1});
      unsent_offers_.push_back({reinterpret_cast<std::uint64_t>(place), receive.kept->rkey, bytes});
      receive.offered += bytes;
    } else if (!receive.eager) {
      if (slots_used_ == slots) return;
      if (!slots_) slots_ = RegisteredMemory(device_, slots * options_.slot_bytes);
      const auto slot = static_cast<int>(next_slot_++ % slots);
      ++slots_used_;
      const auto bytes = static_cast<std::uint32_t>(std::min(options_.slot_bytes, receive.bytes - receive.offered));
      const auto* place = slots_.data() + static_cast<std::size_t>(slot) * options_.slot_bytes;
      offered_.push_back({bytes, slot});
      unsent_offers_.push_back({reinterpret_cast<std::uint64_t>(place), slots_.registration().rkey, bytes});
      receive.offered += bytes;
    }
    if (receive.eager || receive.offered == receive.bytes) ++next_to_offer_;
  }
}

bool VerbsChannel::deliver() {
  bool any = false;
  while (!receives_.empty()) {
    auto& first = receives_.front();
    if (first.eager) {
      if (eager_taken_ == eager_arrived_) break;
      first.delivery.take(memory_.data() + eager_taken_ % eager_slots * options_.eager_bytes, first.bytes);
      ++eager_taken_;
      ++taken_credits_;
    } else {
      if (offered_arrived_ == 0) break;
      const auto [bytes, slot] = offered_.front();
      if (slot < 0) {
        device_.memory().settle();
        first.delivery.skip(bytes);
      } else {
        first.delivery.take(slots_.data() + static_cast<std::size_t>(slot) * options_.slot_bytes, bytes);
        --slots_used_;
      }
      offered_.pop_front();
      --offered_arrived_;
    }
    any = true;
    if (first.delivery.missing() > 0) continue;
    receives_.pop_front();
    ++received_;
    if (next_to_offer_ > 0) --next_to_offer_;
  }
  return any;
}

bool VerbsChannel::send_control() {
  bool any = false;
  while (has_news() && has_room()) {
    Control control{std::exchange(taken_credits_, 0), 0, {}};
    while (!unsent_offers_.empty() && control.offers < offers_per_control) {
      control.offer[control.offers++] = unsent_offers_.front();
      unsent_offers_.pop_front();
    }
    const std::size_t bytes = offsetof(Control, offer) + control.offers * sizeof(Offer);
    const auto first = 2 * eager_slots * options_.eager_bytes + receive_depth * sizeof(Control);
    std::byte* place = memory_.data() + first + controls_written_++ % send_depth * sizeof(Control);
    std::memcpy(place, &control, bytes);
    ibv::SendWr request{};
    request.opcode = ibv::wr_send;
    request.send_flags = ibv::send_inline;
    post(request, place, bytes, memory_.registration(), {0, 0, false}, false);
    any = true;
  }
  return any;
}

bool VerbsChannel::send_messages() {
  bool any = false;
  while (!sends_.empty() && has_room()) {
    auto& message = sends_.front();
    if (message.eager) {
      if (credits_ == 0) break;
      write_eager(message);
    } else {
      if (offers_.empty() || !write_offered(message)) break;
    }
    any = true;
    if (message.rest.empty()) sends_.pop_front();
  }
  return any;
}

void VerbsChannel::write_eager(Outgoing& message) {
  const std::size_t slot = eager_written_++ % eager_slots;
  --credits_;
  std::byte* staged = memory_.data() + (eager_slots + slot) * options_.eager_bytes;
  device_.memory().copy(staged, message.rest.data(), message.rest.size());
  ibv::SendWr request{};
  request.opcode = ibv::wr_rdma_write_with_imm;
  request.send_flags = ibv::send_inline;
  request.imm_data = eager_mark | std::exchange(taken_credits_, 0) << mark_bits;
  request.remote_addr = peer_.eager_address + slot * options_.eager_bytes;
  request.rkey = peer_.eager_key;
  // The message was copied, so it is complete unless an earlier one is incomplete.
  const bool complete = unfinished_ == 0;
  if (complete) ++sent_;
  if (!complete) ++unfinished_;
  post(request, staged, message.rest.size(), memory_.registration(), {0, complete ? 0 : 1, false}, !complete);
  message.rest = {};
}

bool VerbsChannel::write_offered(Outgoing& message) {
  auto& offer = offers_.front();
  const std::byte* from = message.rest.data();
  std::size_t bytes = std::min<std::size_t>(offer.bytes, message.rest.size());
  const auto* memory = device_.find_kept(from, bytes);
  const bool staged = memory == nullptr;
  if (staged) {
    if (staging_used_ == slots) return false;
    if (!staging_) staging_ = RegisteredMemory(device_, slots * options_.slot_bytes);
    bytes = std::min(bytes, options_.slot_bytes);
    std::byte* place = staging_.data() + next_staging_++ % slots * options_.slot_bytes;
    ++staging_used_;
    device_.memory().copy(place, from, bytes);
    from = place;
    memory = &staging_.registration();
  }
  ibv::SendWr request{};
  request.opcode = bytes == offer.bytes ? ibv::wr_rdma_write_with_imm : ibv::wr_rdma_write;
  if (request.opcode == ibv::wr_rdma_write_with_imm) {
    request.imm_data = offered_mark | std::exchange(taken_credits_, 0) << mark_bits;
  }
  request.remote_addr = offer.address;
  request.rkey = offer.key;
  message.rest = message.rest.subspan(bytes);
  offer.address += bytes;
  offer.bytes -= static_cast<std::uint32_t>(bytes);
  if (offer.bytes == 0) offers_.pop_front();
  const bool last = message.rest.empty();
  if (last) ++unfinished_;
  post(request, from, bytes, *memory, {0, last ? 1 : 0, staged}, staged || last);
  return true;
}

void VerbsChannel::post(ibv::SendWr request, const std::byte* from, std::size_t bytes, const ibv::Mr& memory,
                        InFlight effect, bool must_complete) {
  ibv::Sge place{reinterpret_cast<std::uint64_t>(from), static_cast<std::uint32_t>(bytes), memory.lkey};
  effect.number = request.wr_id = ++posted_;
  request.sg_list = &place;
  request.num_sge = 1;
  const bool signalled = must_complete || unsignalled_ + 1 >= most_unsignalled;
  unsignalled_ = signalled ? 0 : unsignalled_ + 1;
  if (bytes > pair_.most_inline_bytes()) request.send_flags = 0;
  if (signalled) request.send_flags |= ibv::send_signaled;
  pair_.post(request);
  in_flight_.push_back(effect);
}

}  // namespace ringmark

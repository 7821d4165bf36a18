// The thread that carries out requests.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "tests/transports/fabric/verbs/fake_verbs_objects.hpp"

namespace ringmark::testing_support {

void FakeVerbs::engine() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return ends_ || !busy_.empty(); });
    if (ends_) return;
    if (faults_.most_delay_us > 0) {
      const auto delay = std::chrono::microseconds(random_() % static_cast<unsigned>(faults_.most_delay_us));
      lock.unlock();
      std::this_thread::sleep_for(delay);
      lock.lock();
      if (busy_.empty()) continue;
    }
    const std::size_t chosen = random_() % busy_.size();
    Pair& pair = *busy_[chosen];
    carry_out(pair);
    if (pair.sends.empty()) busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
}

void FakeVerbs::carry_out(Pair& pair) {
  const Request request = std::move(pair.sends.front());
  pair.sends.pop_front();
  ibv::Wc completion{};
  completion.wr_id = request.wr.wr_id;
  completion.qp_num = pair.qp_num;
  completion.opcode = request.wr.opcode == ibv::wr_send ? ibv::wc_send : ibv::wc_rdma_write;
  const auto covers = [&](std::uint32_t key, std::uint64_t address, std::uint64_t bytes) {
    const auto found = memory_.find(key);
    if (found == memory_.end()) return false;
    const auto begin = reinterpret_cast<std::uint64_t>(found->second->addr);
    return address >= begin && address + bytes <= begin + found->second->length;
  };
  const bool is_inline = (request.wr.send_flags & ibv::send_inline) != 0;
  const bool with_receive = request.wr.opcode != ibv::wr_rdma_write;
  const auto peer = pairs_.find(pair.peer);
  if (++carried_out_; faults_.bad_completion && carried_out_ == faults_.bad_completion->first) {
    completion.status = faults_.bad_completion->second;
  } else if (pair.failed) {
    completion.status = ibv::wc_wr_flush_err;
  } else if (peer == pairs_.end() || peer->second->failed) {
    completion.status = ibv::wc_retry_exc_err;
  } else if (!is_inline && !covers(request.from.lkey, request.from.addr, request.from.length)) {
    completion.status = ibv::wc_loc_prot_err;
  } else if (with_receive && peer->second->receives.empty()) {
    completion.status = ibv::wc_rnr_retry_exc_err;
  } else if (request.wr.opcode != ibv::wr_send &&
             !covers(request.wr.rkey, request.wr.remote_addr, request.from.length)) {
    completion.status = ibv::wc_rem_access_err;
  }
  if (completion.status != ibv::wc_success) {
    pair.failed = true;
    complete(*pair.send_queue, completion);
    return;
  }
  const auto* from =
      is_inline ? request.inline_data.data() : reach_.reach(reinterpret_cast<const void*>(request.from.addr));
  auto* to = reach_.reach(reinterpret_cast<void*>(request.wr.remote_addr));
  if (with_receive) {
    const auto [id, place] = peer->second->receives.front();
    peer->second->receives.pop_front();
    ibv::Wc arrival{};
    arrival.wr_id = id;
    arrival.qp_num = peer->second->qp_num;
    arrival.byte_len = request.from.length;
    arrival.imm_data = request.wr.imm_data;
    arrival.opcode = request.wr.opcode == ibv::wr_send ? ibv::wc_recv : ibv::wc_recv_rdma_with_imm;
    if (request.wr.opcode == ibv::wr_send) to = reinterpret_cast<std::byte*>(place.addr);
    std::memcpy(to, from, request.from.length);
    complete(*peer->second->receive_queue, arrival);
  } else {
    std::memcpy(to, from, request.from.length);
  }
  // Room in the send queue comes back with signalled completions alone, once they are taken.
  ++pair.unsignalled;
  if ((request.wr.send_flags & ibv::send_signaled) == 0) return;
  complete(*pair.send_queue, completion, std::exchange(pair.unsignalled, 0));
}

void FakeVerbs::complete(Queue& queue, const ibv::Wc& completion, std::size_t retires) {
  queue.completions.emplace_back(completion, retires);
  if (queue.completions.size() > queue.capacity) std::abort();  // hardware would lose it
  if (!std::exchange(queue.armed, false)) return;
  queue.channel->events.push_back(&queue);
  const std::uint64_t one = 1;
  if (::write(queue.channel->fd, &one, sizeof one) != sizeof one) std::abort();
}

}  // namespace ringmark::testing_support

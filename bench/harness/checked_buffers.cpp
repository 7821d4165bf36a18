#include "bench/harness/checked_buffers.hpp"

#include <algorithm>
#include <cstring>

namespace ringmark {
namespace {

constexpr int poison_byte = 0xa5;

}  // namespace

CheckedBuffers::CheckedBuffers(Memory& memory, const Operation& operation, Buffers buffers, int rank, int ranks)
    : memory_(memory),
      layout_(layout_of(operation, ranks, rank)),
      buffers_(buffers),
      verifier_(operation, rank, ranks) {
  if (!is_host()) image_.resize(std::max(layout_.send_bytes, layout_.recv_bytes));
}

void CheckedBuffers::fill() {
  auto* send = const_cast<void*>(buffers_.send);
  if (is_host()) return verifier_.fill(send);
  verifier_.fill(image_.data());
  memory_.copy(send, image_.data(), layout_.send_bytes);
}

void CheckedBuffers::poison() {
  auto* target = is_host() ? buffers_.recv : image_.data();
  std::memset(target, poison_byte, layout_.recv_bytes);
  if (!is_host()) memory_.copy(buffers_.recv, target, layout_.recv_bytes);
}

std::size_t CheckedBuffers::count_wrong() {
  if (is_host()) return verifier_.count_wrong(buffers_.recv);
  memory_.copy(image_.data(), buffers_.recv, layout_.recv_bytes);
  return verifier_.count_wrong(image_.data());
}

}  // namespace ringmark

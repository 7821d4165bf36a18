#include "bench/link/scan_line.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/errors.hpp"
#include "bench/harness/rank_resources.hpp"

namespace ringmark {
namespace {

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

ScanLine::ScanLine(const std::shared_ptr<TcpEndpoint>& endpoint, int peer, std::chrono::milliseconds timeout)
    : timeout_(timeout), peer_(peer == 0 ? 0 : 1) {
  const std::array both{0, std::max(peer, endpoint->rank())};
  fabric_ = std::make_unique<TcpFabric>(endpoint, scan_connections, both);
  fabric_->connect(std::array{peer_}, Deadline::after(timeout));
}

void ScanLine::send(std::string_view message) {
  std::uint64_t length = message.size();
  auto last = fabric_->send(peer_, bytes_of(length));
  if (!message.empty()) last = fabric_->send(peer_, std::as_bytes(std::span(message)));
  for (const auto deadline = Deadline::after(timeout_); fabric_->sent(peer_) < last;) {
    fabric_->progress(deadline);
    if (deadline.passed()) throw TimedOut("timed out sending a message to " + fabric_->describe(peer_));
  }
}

void ScanLine::move(Deadline until) {
  if (awaited_ == 0) {
    const auto target = has_length_ ? std::as_writable_bytes(std::span(bytes_)) : bytes_of(length_);
    awaited_ = fabric_->receive(peer_, {target.data(), target.size()});
  }
  if (fabric_->received(peer_) < awaited_) fabric_->progress(until);
}

std::optional<std::string> ScanLine::look() {
  for (;;) {
    move(Deadline::now());
    if (fabric_->received(peer_) < awaited_) return std::nullopt;
    awaited_ = 0;
    if (!std::exchange(has_length_, !has_length_)) {
      bytes_.resize(length_);
      if (length_ > 0) continue;
      has_length_ = false;
    }
    return std::move(bytes_);
  }
}

std::string ScanLine::wait() {
  constexpr std::chrono::minutes a_while{1};
  for (;;) {
    if (auto message = look()) return *std::move(message);
    move(Deadline::after(a_while));
  }
}

}  // namespace ringmark

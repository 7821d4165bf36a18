#include "transports/fabric/tcp/tcp_fabric.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <sched.h>

#include "base/errors.hpp"
#include "transports/fabric/striping.hpp"

namespace ringmark {
namespace {

constexpr std::size_t bounce_bytes = 256 << 10;
constexpr auto settle_time = std::chrono::milliseconds(300);

/// The finaliser of splitmix64: a permutation in which each bit of the value changes about half of the result's.
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

TcpFabric::TcpFabric(const std::shared_ptr<TcpEndpoint>& endpoint, std::uint64_t communicator)
    : TcpFabric(endpoint, communicator, all_ranks(endpoint->size())) {}

TcpFabric::TcpFabric(std::shared_ptr<TcpEndpoint> endpoint, std::uint64_t communicator,
                     std::span<const int> world_ranks)
    : endpoint_(std::move(endpoint)),
      communicator_(communicator),
      peers_(world_ranks.size()),
      bounce_(std::make_unique_for_overwrite<std::byte[]>(bounce_bytes)) {
  for (std::size_t i = 0; i < world_ranks.size(); ++i) {
    peers_[i].world_rank = world_ranks[i];
    if (world_ranks[i] == endpoint_->rank()) rank_ = static_cast<int>(i);
  }
}

TcpFabric::~TcpFabric() {
  for (const auto& peer : peers_) {
    for (const auto& stream : peer.streams)
      std::erase_if(endpoint_->connections(), [&](const auto& connection) { return connection.fd == stream.fd(); });
  }
}

std::string TcpFabric::describe(int rank) const {
  return fmt::format("rank {} on {}", peer(rank).world_rank, endpoint_->host(peer(rank).world_rank));
}

void TcpFabric::connect(std::span<const int> peers, Deadline deadline) {
  std::vector<ConnectionKey> links;
  for (const int rank : peers) {
    if (!peer(rank).streams.empty()) continue;
    for (int socket = 0; socket < endpoint_->options().sockets; ++socket) {
      links.push_back({peer(rank).world_rank, communicator_, socket});
    }
  }
  if (links.empty()) return;
  // Keep established connections open until the other ranks know why some are missing: a peer whose connection closes
  // blames this rank.
  std::vector<FileDescriptor> sockets;
  // Reserve a quarter of the time for finding the reason: connected peers wait just as long, and would blame this rank.
  const auto connected_by = Deadline::after(deadline.left() * 3 / 4);
  try {
    endpoint_->open(links, connected_by, sockets);
    std::size_t next = 0;
    for (const int rank : peers) {
      if (!peer(rank).streams.empty()) continue;
      for (int socket = 0; socket < endpoint_->options().sockets; ++socket) {
        endpoint_->connections().push_back({peer(rank).world_rank, sockets[next].get()});
        peer(rank).streams.emplace_back(std::move(sockets[next++]));
      }
    }
  } catch (const NoConnection& failed) {
    endpoint_->throw_if_told();
    tell(loss_of(failed));
  } catch (const PeerLost& lost) {
    if (endpoint_->notice()) throw;
    tell(Loss{.rank = lost.rank(), .reason = lost.reason()});
  }
}

std::uint64_t TcpFabric::send(int to, std::span<const std::byte> message) {
  auto& peer = this->peer(to);
  auto& stream = peer.streams[peer.posted_sends % peer.streams.size()];
  const bool is_blocked = stream.is_blocked();
  stream.send(message);
  ++peer.posted_sends;
  const std::size_t burst = endpoint_->options().burst_bytes;
  if (!is_blocked && sent_unlooked_ < burst) {
    try {
      sent_unlooked_ += stream.pump_sends(burst - sent_unlooked_).bytes;
    } catch (const StreamBroken& broken) {
      lose(to, broken.what());
    }
  }
  if (stream.has_sends()) activate(to);
  return peer.posted_sends;
}

std::uint64_t TcpFabric::send_with_next(int to, std::span<const std::byte> message) {
  if (message.size() > most_joined_bytes()) return send(to, message);
  auto& peer = this->peer(to);
  peer.streams.front().send(message);
  activate(to);
  return ++peer.posted_sends;
}

/// With several sockets, consecutive messages use different ones and cannot be joined.
std::size_t TcpFabric::most_joined_bytes() const {
  return endpoint_->options().sockets == 1 ? TcpStream::most_joined_bytes : 0;
}

std::uint64_t TcpFabric::receive(int from, const Incoming& incoming) {
  auto& peer = this->peer(from);
  peer.streams[peer.posted_receives % peer.streams.size()].receive(incoming);
  activate(from);
  return ++peer.posted_receives;
}

std::uint64_t TcpFabric::sent(int to) const {
  const auto& streams = peer(to).streams;
  return leading_messages(streams.size(), [&](std::size_t i) { return streams[i].sent(); });
}

std::uint64_t TcpFabric::received(int from) const {
  const auto& streams = peer(from).streams;
  return leading_messages(streams.size(), [&](std::size_t i) { return streams[i].received(); });
}

void TcpFabric::activate(int rank) {
  if (std::exchange(peer(rank).active, true)) return;
  active_.push_back(rank);
}

TcpStream::Moved TcpFabric::pump_all() {
  TcpStream::Moved all;
  sent_unlooked_ = 0;
  for (std::size_t i = 0; i < active_.size();) {
    const int rank = active_[i];
    auto& peer = this->peer(rank);
    bool busy = false;
    for (auto& stream : peer.streams) {
      try {
        const auto moved = stream.pump({bounce_.get(), bounce_bytes}, endpoint_->options().burst_bytes);
        all.bytes += moved.bytes;
        all.messages += moved.messages;
      } catch (const StreamBroken& broken) {
        lose(rank, broken.what());
      }
      busy |= stream.has_sends() || stream.has_receives();
    }
    if (busy) {
      ++i;
    } else {
      peer.active = false;
      active_[i] = active_.back();
      active_.pop_back();
    }
  }
  return all;
}

void TcpFabric::progress(Deadline until) {
  auto idle_since = Clock::now();
  for (;;) {
    const auto moved = pump_all();
    if (moved.messages > 0) return;
    const auto now = Clock::now();
    if (now >= until.when()) {
      endpoint_->throw_if_told();
      check_silence();  // a caller that polls several fabrics never reaches block(), which checks too
      return;
    }
    if (moved.bytes > 0) {
      idle_since = now;
    } else if (now - idle_since < endpoint_->options().spin) {
      ::sched_yield();
    } else {
      block(until);
      if (until.passed()) return;
    }
  }
}

void TcpFabric::append_streams(std::vector<pollfd>& polled) const {
  // Check only peers from which this rank expects something: others may have exited normally. A rank that waits for a
  // lost peer informs all others.
  for (const int rank : active_) {
    for (const auto& stream : peer(rank).streams) {
      const int events = (stream.has_receives() ? POLLIN : 0) | (stream.has_sends() ? POLLOUT : 0);
      if (events != 0) polled.push_back({stream.fd(), static_cast<short>(events), 0});
    }
  }
}

void TcpFabric::append_poll(std::vector<pollfd>& polled) const {
  append_streams(polled);
  endpoint_->append_poll(polled);
}

void TcpFabric::check_peers() {
  pump_all();
  endpoint_->throw_if_told();
  check_silence();
}

void TcpFabric::block(Deadline until) {
  polled_.clear();
  append_streams(polled_);
  const std::size_t streams = polled_.size();
  endpoint_->append_poll(polled_);
  const auto wait = std::chrono::ceil<std::chrono::nanoseconds>(until.left(silence_check_interval));
  const timespec limit{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
  ::ppoll(polled_.data(), polled_.size(), &limit, nullptr);

  if (std::any_of(polled_.begin() + static_cast<std::ptrdiff_t>(streams), polled_.end(),
                  [](const pollfd& p) { return p.revents != 0; })) {
    endpoint_->throw_if_told();
  }
  check_silence();
}

void TcpFabric::lose(int rank, const std::string& reason) {
  tell(Loss{.rank = peer(rank).world_rank, .reason = reason});
}

/// A peer that closes a connection may have done so because it lost another rank; its notice then names that rank.
void TcpFabric::tell(const Loss& loss) {
  if (endpoint_->losses_are_apart()) endpoint_->throw_loss(loss);
  const auto settled = Deadline::after(settle_time);
  while (!settled.passed()) {
    try {
      endpoint_->throw_if_told();
    } catch (const std::system_error&) {
      break;  // no notice can be read, but the loss is known
    }
    std::vector<pollfd> polled;
    endpoint_->append_poll(polled);
    ::poll(polled.data(), polled.size(), 20);
  }
  endpoint_->broadcast(loss);
  endpoint_->throw_loss(loss);
}

void TcpFabric::abort(int rank, const std::string& reason) noexcept {
  Loss loss{.rank = peer(rank).world_rank, .reason = reason};
  if (const auto stall = find_stall()) loss = lost_link(stall->peer, reason);
  endpoint_->broadcast(loss, true);
}

std::unique_ptr<TcpFabric> TcpFabric::split_tcp(std::span<const int> ranks) {
  std::vector<int> world_ranks;
  for (const int rank : ranks) world_ranks.push_back(peer(rank).world_rank);
  // All members compute the same number without an exchange. Groups of one split differ in their ranks, successive
  // splits in their count; 64 bits keep unrelated groups apart.
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;
  std::uint64_t child = scramble(communicator_);
  const auto add = [&](std::uint64_t value) { child = scramble(child + golden_ratio + value); };
  add(++splits_);
  for (const int rank : world_ranks) add(static_cast<std::uint64_t>(rank));
  return std::unique_ptr<TcpFabric>(new TcpFabric(endpoint_, child, world_ranks));
}

}  // namespace ringmark

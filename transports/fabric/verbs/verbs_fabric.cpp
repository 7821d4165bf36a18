#include "transports/fabric/verbs/verbs_fabric.hpp"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>

#include "base/errors.hpp"
#include "transports/fabric/striping.hpp"
#include "transports/fabric/verbs/status_words.hpp"

namespace ringmark {
namespace {

constexpr std::chrono::microseconds usual_spin{200};
constexpr int polls_between_looks = 16;
constexpr auto peer_check_interval = std::chrono::milliseconds(250);

}  // namespace

VerbsFabric::VerbsFabric(std::shared_ptr<VerbsDevice> device, std::unique_ptr<TcpFabric> side,
                         const VerbsOptions& options)
    : device_(std::move(device)),
      side_(std::move(side)),
      options_(options),
      events_(device_->api().create_comp_channel(device_->context()), device_->api().destroy_comp_channel),
      peers_(static_cast<std::size_t>(side_->size())) {
  if (!events_) throw TransportError(fmt::format("{}: cannot create an event channel", device_->port().name()));
  ::fcntl(events_->fd, F_SETFL, ::fcntl(events_->fd, F_GETFL) | O_NONBLOCK);
}

VerbsFabric::~VerbsFabric() {
  // Peers that are still busy with others must not mistake this rank's departure for a loss.
  constexpr std::byte farewell{1};
  if (broken_) return;
  for (int rank = 0; rank < size(); ++rank) {
    if (peer(rank).channels.empty()) continue;
    try {
      side_->send(rank, std::span(&farewell, 1));
    } catch (const std::exception&) {
      continue;  // the peer has left first
    }
  }
}

void VerbsFabric::connect(std::span<const int> peers, Deadline deadline) {
  std::vector<int> fresh;
  for (const int rank : peers) {
    if (peer(rank).channels.empty()) fresh.push_back(rank);
  }
  if (fresh.empty()) return;
  try {
    connect_fresh(fresh, deadline);
  } catch (...) {
    broken_ = true;
    check_port();
    throw;
  }
}

void VerbsFabric::connect_fresh(std::span<const int> fresh, Deadline deadline) {
  side_->connect(fresh, deadline);
  const auto pairs = static_cast<std::size_t>(options_.queue_pairs);
  std::vector<ConnectionCard> ours, theirs(fresh.size() * pairs);
  for (const int rank : fresh) {
    for (std::size_t i = 0; i < pairs; ++i) {
      peer(rank).channels.push_back(std::make_unique<VerbsChannel>(*device_, events_.get(), options_));
      ours.push_back(peer(rank).channels.back()->card());
    }
  }
  exchange(fresh, std::as_bytes(std::span(ours)), std::as_writable_bytes(std::span(theirs)),
           pairs * sizeof(ConnectionCard), deadline);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const int rank = fresh[i / pairs];
    if (const auto reason = why_cannot_talk(ours[i], describe(this->rank()), theirs[i], describe(rank))) {
      throw Unusable(*reason);
    }
    while (!peer(rank).channels[i % pairs]->connect(theirs[i])) {
      if (!deadline.passed()) continue;
      throw TimedOut(
          fmt::format("timed out connecting queue pairs: no neighbour of {} answers for the address of {} on "
                      "{}; check that it is in the same network, or that a route to it exists",
                      ours[i].port, theirs[i].port, describe(rank)));
    }
  }
  // No rank may send before the other end can receive.
  std::vector<std::byte> ready(fresh.size());
  exchange(fresh, ready, ready, 1, deadline);
  for (const int rank : fresh) peer(rank).farewell_number = side_->receive(rank, {&peer(rank).farewell, 1});
}

void VerbsFabric::exchange(std::span<const int> peers, std::span<const std::byte> ours, std::span<std::byte> theirs,
                           std::size_t bytes_each, Deadline deadline) {
  struct Awaited {
    std::uint64_t sent, received;
  };
  std::vector<Awaited> awaited;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const auto sent = side_->send(peers[i], ours.subspan(i * bytes_each, bytes_each));
    const auto received = side_->receive(peers[i], {theirs.data() + i * bytes_each, bytes_each});
    awaited.push_back({sent, received});
  }
  for (std::size_t i = 0; i < peers.size(); ++i) {
    while (side_->sent(peers[i]) < awaited[i].sent || side_->received(peers[i]) < awaited[i].received) {
      side_->progress(deadline);
      if (deadline.passed()) throw TimedOut("timed out connecting queue pairs with " + describe(peers[i]));
    }
  }
}

std::uint64_t VerbsFabric::send(int to, std::span<const std::byte> message) {
  auto& peer = this->peer(to);
  peer.channels[peer.posted_sends % peer.channels.size()]->send(message);
  activate(to);
  return ++peer.posted_sends;
}

std::uint64_t VerbsFabric::receive(int from, const Incoming& incoming) {
  auto& peer = this->peer(from);
  peer.channels[peer.posted_receives % peer.channels.size()]->receive(incoming);
  activate(from);
  return ++peer.posted_receives;
}

std::uint64_t VerbsFabric::sent(int to) const {
  const auto& channels = peer(to).channels;
  return leading_messages(channels.size(), [&](std::size_t i) { return channels[i]->sent(); });
}

std::uint64_t VerbsFabric::received(int from) const {
  const auto& channels = peer(from).channels;
  return leading_messages(channels.size(), [&](std::size_t i) { return channels[i]->received(); });
}

void VerbsFabric::activate(int rank) {
  if (std::exchange(peer(rank).active, true)) return;
  active_.push_back(rank);
}

std::size_t VerbsFabric::pump_all(bool& moved) {
  std::size_t completed = 0;
  for (std::size_t i = 0; i < active_.size();) {
    const int rank = active_[i];
    bool busy = false;
    for (auto& channel : peer(rank).channels) {
      try {
        completed += channel->pump(moved);
      } catch (const CompletionError& error) {
        if (!has_left(rank)) fail(rank, error.status());
        peer(rank).gone = true;
        break;
      }
      busy |= channel->is_busy();
    }
    busy = busy && !peer(rank).gone;
    if (busy) {
      ++i;
    } else {
      peer(rank).active = false;
      active_[i] = active_.back();
      active_.pop_back();
    }
  }
  return completed;
}

void VerbsFabric::progress(Deadline until) {
  try {
    advance(until);
  } catch (...) {
    broken_ = true;
    throw;
  }
}

void VerbsFabric::advance(Deadline until) {
  const bool until_now = until.when() == Deadline::now().when();
  auto idle_since = Clock::now();
  for (;;) {
    bool moved = false;
    // Reading the clock or yielding the core takes as long as several polls.
    for (int i = 0; i < polls_between_looks && !moved; ++i) {
      if (pump_all(moved) > 0) return;
      if (until_now) break;
    }
    const auto now = Clock::now();
    if (now >= next_check_) {
      next_check_ = now + peer_check_interval;
      side_->check_peers();
      check_port();
      // A short message is complete once it is copied. A failed delivery shows later, perhaps when nothing more is
      // expected from that peer.
      for (int rank = 0; rank < size(); ++rank) {
        if (!peer(rank).channels.empty() && !peer(rank).gone) activate(rank);
      }
    }
    if (now >= until.when()) return;
    if (moved) {
      idle_since = now;
    } else if (now - idle_since < options_.spin.value_or(usual_spin)) {
      ::sched_yield();
    } else if (block(until) > 0) {
      return;
    }
  }
}

std::size_t VerbsFabric::block(Deadline until) {
  for (const int rank : active_) {
    for (auto& channel : peer(rank).channels) channel->request_event();
  }
  // Requests that completed before request_event() raise no event.
  bool moved = false;
  const auto completed = pump_all(moved);
  if (completed > 0 || moved) return completed;
  polled_.assign(1, {events_->fd, POLLIN, 0});
  side_->append_poll(polled_);
  const auto wait = std::chrono::ceil<std::chrono::nanoseconds>(until.left(peer_check_interval));
  const timespec limit{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
  ::ppoll(polled_.data(), polled_.size(), &limit, nullptr);
  ibv::Cq* cq = nullptr;
  void* context = nullptr;
  while (device_->api().get_cq_event(events_.get(), &cq, &context) == 0) device_->api().ack_cq_events(cq, 1);
  if (std::any_of(polled_.begin() + 1, polled_.end(), [](const pollfd& p) { return p.revents != 0; })) {
    side_->check_peers();
  }
  return 0;
}

/// A peer that leaves in an orderly way needs nothing more: messages that it did not acknowledge, like the last
/// credits, are not a loss.
bool VerbsFabric::has_left(int rank) {
  side_->check_peers();
  const auto& channels = peer(rank).channels;
  return side_->received(rank) >= peer(rank).farewell_number &&
         std::none_of(channels.begin(), channels.end(), [](const auto& channel) { return channel->awaits_peer(); });
}

void VerbsFabric::fail(int rank, ibv::WcStatus status) {
  check_port();
  const std::string_view words = device_->api().wc_status_str(status);
  const auto& here = device_->port().name();
  const std::string_view there = peer(rank).channels.front()->peer().port;
  if (is_local(status)) {
    side_->lose(this->rank(), fmt::format("{} on {}, in its exchange with {} on {}: {}", words, here, describe(rank),
                                          there, usual_cause(status)));
  }
  side_->lose(rank, fmt::format("{} on {}, seen by {} on {}: {}", words, there, describe(this->rank()), here,
                                usual_cause(status)));
}

// Without this check, a failure of this rank's own port would look like the loss of every peer, many retries later.
void VerbsFabric::check_port() {
  ibv::PortAttr attr{};
  const auto& port = device_->port();
  const bool known = device_->api().query_port(device_->context(), static_cast<std::uint8_t>(port.number), &attr) == 0;
  if (known && attr.state != ibv::port_active) {
    side_->lose(rank(), fmt::format("its port {} is {}", port.name(), state_name(attr.state)));
  }
}

std::unique_ptr<Fabric> VerbsFabric::split(std::span<const int> ranks) {
  return std::make_unique<VerbsFabric>(device_, side_->split_tcp(ranks), options_);
}

}  // namespace ringmark

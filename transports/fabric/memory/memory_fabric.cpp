#include "transports/fabric/memory/memory_fabric.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {

class MemoryFabric final : public Fabric {
 public:
  MemoryFabric(std::shared_ptr<MemoryNetwork> network, int rank) : network_(std::move(network)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return network_->ranks_; }
  std::string describe(int rank) const override { return fmt::format("rank {} in memory", rank); }
  void connect(std::span<const int>, Deadline) override {}

  void keep(std::span<std::byte>) override {}
  void forget(std::span<std::byte>) override {}
  std::uint64_t send(int to, std::span<const std::byte> message) override {
    const std::scoped_lock lock(network_->mutex_);
    auto& channel = network_->channel(rank_, to);
    channel.sends.push_back({message.data(), message.size()});
    return ++channel.posted_sends;
  }

  std::uint64_t receive(int from, const Incoming& incoming) override {
    const std::scoped_lock lock(network_->mutex_);
    auto& channel = network_->channel(from, rank_);
    channel.receives.emplace_back(incoming);
    return ++channel.posted_receives;
  }

  std::uint64_t sent(int to) const override {
    const std::scoped_lock lock(network_->mutex_);
    return network_->channel(rank_, to).sent;
  }

  std::uint64_t received(int from) const override {
    const std::scoped_lock lock(network_->mutex_);
    return network_->channel(from, rank_).received;
  }

  void progress(Deadline until) override {
    std::unique_lock lock(network_->mutex_);
    do {
      if (network_->lost_) throw PeerLost(*network_->lost_, "this process", network_->lost_reason_);
      for (int peer = 0; peer < size(); ++peer) {
        network_->move(rank_, peer);
        network_->move(peer, rank_);
      }
      // The other end may also have completed this rank's messages, even before this call.
      const auto completed = network_->completed_[static_cast<std::size_t>(rank_)];
      if (std::exchange(reported_, completed) != completed) {
        network_->changed_.notify_all();
        return;
      }
      // With random delays, it may be that no other rank wakes this one, so it polls.
      if (!until.passed()) network_->changed_.wait_for(lock, until.left(std::chrono::milliseconds(1)));
    } while (!until.passed());
  }

  void abort(int rank, const std::string& reason) noexcept override {
    const std::scoped_lock lock(network_->mutex_);
    if (!network_->lost_) {
      network_->lost_ = rank;
      network_->lost_reason_ = reason;
    }
    network_->changed_.notify_all();
  }

  std::unique_ptr<Fabric> split(std::span<const int> ranks) override {
    const std::vector<int> group(ranks.begin(), ranks.end());
    const auto position = std::find(group.begin(), group.end(), rank_) - group.begin();
    const std::scoped_lock lock(network_->mutex_);
    for (auto& [members, network] : network_->groups_) {
      if (members == group) return network->fabric(static_cast<int>(position));
    }
    const auto& entry =
        network_->groups_.emplace_back(group, MemoryNetwork::create(static_cast<int>(group.size()), network_->faults_));
    return entry.second->fabric(static_cast<int>(position));
  }

 private:
  std::shared_ptr<MemoryNetwork> network_;
  int rank_;
  std::uint64_t reported_ = 0;
};

MemoryNetwork::MemoryNetwork(int ranks, const MemoryFaults& faults)
    : ranks_(ranks),
      faults_(faults),
      random_(faults.seed),
      channels_(static_cast<std::size_t>(ranks * ranks)),
      completed_(static_cast<std::size_t>(ranks)) {}

std::shared_ptr<MemoryNetwork> MemoryNetwork::create(int ranks, MemoryFaults faults) {
  return std::shared_ptr<MemoryNetwork>(new MemoryNetwork(ranks, faults));
}

std::unique_ptr<Fabric> MemoryNetwork::fabric(int rank) {
  return std::make_unique<MemoryFabric>(shared_from_this(), rank);
}

void MemoryNetwork::kill(int rank) { fabric(rank)->abort(rank, "killed by the test"); }

std::size_t MemoryNetwork::sent_bytes(int rank) {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (int to = 0; to < ranks_; ++to) bytes += channel(rank, to).bytes;
  return bytes;
}

MemoryNetwork::Channel& MemoryNetwork::channel(int from, int to) {
  return channels_[static_cast<std::size_t>(from) * completed_.size() + static_cast<std::size_t>(to)];
}

void MemoryNetwork::move(int from, int to) {
  auto& channel = this->channel(from, to);
  if (channel.sends.empty() || channel.receives.empty()) return;
  if (faults_.idle_probability > 0 && std::bernoulli_distribution(faults_.idle_probability)(random_)) return;
  const auto is = [&](const std::optional<MemoryFaults::Message>& fault) {
    return fault && fault->from == from && fault->to == to && fault->number == channel.sent + 1;
  };
  if (is(faults_.lose)) return;

  auto& outgoing = channel.sends.front();
  auto& incoming = channel.receives.front();
  std::size_t bytes = std::min(outgoing.missing, incoming.missing());
  if (bytes > 1 && faults_.most_bytes_at_once < bytes) {
    bytes = std::uniform_int_distribution<std::size_t>(1, faults_.most_bytes_at_once)(random_);
  }
  if (is(faults_.flip) && outgoing.missing == bytes) {
    std::vector<std::byte> damaged(outgoing.next, outgoing.next + bytes);
    damaged.back() ^= std::byte{0x10};
    incoming.take(damaged.data(), bytes);
  } else {
    incoming.take(outgoing.next, bytes);
  }
  outgoing.next += bytes;
  outgoing.missing -= bytes;
  channel.bytes += bytes;
  if (outgoing.missing > 0) return;
  channel.sends.pop_front();
  channel.receives.pop_front();
  ++channel.sent;
  ++channel.received;
  ++completed_[static_cast<std::size_t>(from)];
  ++completed_[static_cast<std::size_t>(to)];
}

}  // namespace ringmark

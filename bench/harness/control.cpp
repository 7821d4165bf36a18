#include "bench/harness/control.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/errors.hpp"
#include "transports/executor/schedule_communicator.hpp"

namespace ringmark {
namespace {

constexpr int round_trips = 8;

/// Bytes sent by a rank in a barrier. The kernel places the next message right behind them, and copies to and from
/// unaligned addresses take twice as long, so use whole cache lines as long as they fit into a packet or two.
std::size_t barrier_share(int ranks) { return ranks <= 64 ? 64 : 1; }

/// Parent and children in a binomial tree rooted at rank 0.
int parent_of(int rank) { return rank & (rank - 1); }
std::vector<int> children_of(int rank, int size) {
  std::vector<int> children;
  for (int bit = 1; rank + bit < size && (rank == 0 || bit < (rank & -rank)); bit *= 2) children.push_back(rank + bit);
  return children;
}

}  // namespace

double now_us() { return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count(); }

Control::Control(std::unique_ptr<Fabric> fabric, Clock::duration timeout)
    : rank_(fabric->rank()),
      size_(fabric->size()),
      timeout_(timeout),
      clock_fabric_(fabric->split(all_ranks(size_))),
      barrier_bytes_(static_cast<std::size_t>(size_) * barrier_share(size_)) {
  clock_fabric_->connect(neighbours(), deadline());
  communicator_ = std::make_unique<ScheduleCommunicator>("control", std::move(fabric), Topology::flat(size_),
                                                         ScheduleOptions{.algorithm = "bruck", .timeout = timeout});
}

/// Children and parent in the tree.
std::vector<int> Control::neighbours() const {
  auto ranks = children_of(rank_, size_);
  if (rank_ != 0) ranks.push_back(parent_of(rank_));
  return ranks;
}

void Control::watch() {
  watch_fabric_ = clock_fabric_->split(all_ranks(size_));
  watch_fabric_->connect(neighbours(), deadline());
  watched_bytes_.resize(static_cast<std::size_t>(size_));
  for (const int rank : neighbours())
    watch_fabric_->receive(rank, {&watched_bytes_[static_cast<std::size_t>(rank)], 1});
}

void Control::look_around() { watch_fabric_->progress(Deadline::now()); }

void Control::barrier() { barrier(timeout_); }

void Control::barrier(Clock::duration patience) {
  // The dissemination barrier is Bruck's all-gather of a few bytes per rank.
  const std::size_t share = barrier_share(size_);
  const Operation little_each{Collective::all_gather, DataType::uint8, ReduceOp::sum, share};
  communicator_->run(little_each, {&barrier_bytes_[static_cast<std::size_t>(rank_) * share], barrier_bytes_.data()},
                     patience);
}

std::vector<double> Control::all_gather(std::span<const double> mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(size_));
  const Operation operation{Collective::all_gather, DataType::float64, ReduceOp::sum, mine.size()};
  communicator_->run(operation, {mine.data(), all.data()}, timeout_);
  return all;
}

std::vector<std::string> Control::all_gather(std::string_view mine) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto gather = [&](const void* from, void* to, std::size_t bytes_each) {
    communicator_->run({Collective::all_gather, DataType::uint8, ReduceOp::sum, bytes_each}, {from, to}, timeout_);
  };
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(ranks);
  gather(&length, lengths.data(), sizeof length);
  const auto longest = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::string padded(mine), all(ranks * longest, '\0');
  padded.resize(longest);
  if (longest > 0) gather(padded.data(), all.data(), longest);
  std::vector<std::string> parts;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    parts.push_back(all.substr(rank * longest, static_cast<std::size_t>(lengths[rank])));
  return parts;
}

double Control::sum(double mine) {
  const auto all = all_gather(std::span(&mine, 1));
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double Control::max(double mine) {
  const auto all = all_gather(std::span(&mine, 1));
  return *std::max_element(all.begin(), all.end());
}

double Control::latest(double mine_us) {
  std::vector<double> mine(std::max<std::size_t>(barrier_share(size_) / sizeof(double), 1));
  mine.front() = mine_us;
  const auto all = all_gather(mine);
  double latest_us = mine_us;
  for (std::size_t at = 0; at < all.size(); at += mine.size()) latest_us = std::max(latest_us, all[at]);
  return latest_us;
}

void Control::send(int to, double value) {
  const auto number = clock_fabric_->send(to, std::as_bytes(std::span(&value, 1)));
  const auto until = deadline();
  while (clock_fabric_->sent(to) < number) {
    clock_fabric_->progress(until);
    if (until.passed()) throw TimedOut("timed out while synchronizing clocks");
  }
}

double Control::receive(int from) {
  double value = 0;
  const auto number = clock_fabric_->receive(from, {reinterpret_cast<std::byte*>(&value), sizeof value});
  const auto until = deadline();
  while (clock_fabric_->received(from) < number) {
    clock_fabric_->progress(until);
    if (until.passed()) throw TimedOut("timed out while synchronizing clocks");
  }
  return value;
}

ClockOffset Control::synchronise_clocks() {
  ClockOffset mine;
  if (rank_ != 0) {
    const int parent = parent_of(rank_);
    double shortest_us = 0;
    for (int trip = 0; trip < round_trips; ++trip) {
      const double asked_us = now_us();
      send(parent, 0);
      const double rank0_us = receive(parent);
      const double answered_us = now_us();
      const double round_trip_us = answered_us - asked_us;
      if (trip > 0 && round_trip_us >= shortest_us) continue;
      shortest_us = round_trip_us;
      mine.to_rank0_us = rank0_us - (asked_us + answered_us) / 2;
    }
    mine.error_us = shortest_us / 2 + receive(parent);
  }
  for (const int child : children_of(rank_, size_)) {
    for (int trip = 0; trip < round_trips; ++trip) {
      receive(child);
      send(child, now_us() + mine.to_rank0_us);
    }
    send(child, mine.error_us);
  }
  return mine;
}

}  // namespace ringmark

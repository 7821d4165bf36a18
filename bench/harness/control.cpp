#include "bench/harness/control.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "transports/errors.hpp"
#include "transports/executor/schedule_communicator.hpp"

namespace ringmark {
namespace {

constexpr int round_trips = 8;

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
      barrier_bytes_(static_cast<std::size_t>(size_)) {
  auto neighbours = children_of(rank_, size_);
  if (rank_ != 0) neighbours.push_back(parent_of(rank_));
  clock_fabric_->connect(neighbours, deadline());
  communicator_ = std::make_unique<ScheduleCommunicator>("control", std::move(fabric), Topology::flat(size_),
                                                         ScheduleOptions{.algorithm = "bruck", .timeout = timeout});
}

void Control::barrier() { barrier(timeout_); }

void Control::barrier(Clock::duration patience) {
  const Operation one_byte_each{Collective::all_gather, DataType::uint8, ReduceOp::sum, 1};
  // Bruck's all-gather of a byte is the dissemination barrier.
  communicator_->run(one_byte_each, {&barrier_bytes_[static_cast<std::size_t>(rank_)], barrier_bytes_.data()},
                     patience);
}

std::vector<double> Control::all_gather(std::span<const double> mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(size_));
  const Operation operation{Collective::all_gather, DataType::float64, ReduceOp::sum, mine.size()};
  communicator_->run(operation, {mine.data(), all.data()}, timeout_);
  return all;
}

double Control::sum(double mine) {
  const auto all = all_gather(std::span(&mine, 1));
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double Control::max(double mine) {
  const auto all = all_gather(std::span(&mine, 1));
  return *std::max_element(all.begin(), all.end());
}

void Control::send(int to, double value) {
  const auto number = clock_fabric_->send(to, std::as_bytes(std::span(&value, 1)));
  const auto until = deadline();
  while (clock_fabric_->sent(to) < number) {
    clock_fabric_->progress(until);
    if (until.passed()) throw TimedOut("timed out while setting the clocks");
  }
}

double Control::receive(int from) {
  double value = 0;
  const auto number = clock_fabric_->receive(from, {reinterpret_cast<std::byte*>(&value), sizeof value});
  const auto until = deadline();
  while (clock_fabric_->received(from) < number) {
    clock_fabric_->progress(until);
    if (until.passed()) throw TimedOut("timed out while setting the clocks");
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

#include "transports/executor/schedule_communicator.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/text/duration_text.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/cost.hpp"

namespace ringmark {
namespace {

std::vector<int> peers_of(const Program& program) {
  std::set<int> peers;
  for (const auto& send : program.sends) peers.insert(send.peer);
  for (const auto& receive : program.receives) peers.insert(receive.peer);
  return {peers.begin(), peers.end()};
}

}  // namespace

ScheduleCommunicator::ScheduleCommunicator(std::string backend, std::unique_ptr<Fabric> fabric, Topology topology,
                                           ScheduleOptions options)
    : backend_(std::move(backend)),
      fabric_(std::move(fabric)),
      topology_(std::move(topology)),
      options_(std::move(options)),
      choice_(topology_, options_.link),
      settled_(options_.chosen),
      least_slice_bytes_(std::min(least_slice_bytes(options_.link), options_.slice_bytes)),
      execution_(*fabric_) {}

std::optional<std::string> ScheduleCommunicator::why_unsupported(const Operation& operation, bool in_place) const {
  if (const char* reason = why_not_in_place(operation.collective); in_place && reason != nullptr) return reason;
  if (reduces(operation.collective) && memory().kind() != MemoryKind::host) {
    return fmt::format("{} reduces on the CPU, which cannot access {} memory", backend_,
                       ringmark::name(memory().kind()));
  }
  if (options_.algorithm != "auto" && !has_given_algorithm(operation) && !options_.is_preference) {
    return fmt::format("{} has no algorithm '{}'; it has {}", name(operation.collective), options_.algorithm,
                       fmt::join(algorithms_for(operation.collective), ", "));
  }
  return std::nullopt;
}

bool ScheduleCommunicator::has_given_algorithm(const Operation& operation) const {
  return has_algorithm(operation.collective, options_.algorithm);
}

std::string_view ScheduleCommunicator::algorithm_for(const Operation& operation) const {
  if (has_given_algorithm(operation)) return options_.algorithm;
  const auto key = key_of(operation);
  const auto settled = settled_.find(key);
  return settled != settled_.end() ? settled->second : choice_.choose(key.collective, key.size_bytes);
}

ChoiceKey ScheduleCommunicator::key_of(const Operation& operation) const {
  return {operation.collective, size(), topology_.node_count(), largest_buffer_bytes(operation, size())};
}

std::vector<Contender> ScheduleCommunicator::contenders(const Operation& operation) const {
  const auto key = key_of(operation);
  if (size() == 1 || options_.only_model || has_given_algorithm(operation) || settled_.contains(key)) return {};
  std::vector<Contender> all;
  for (const auto& each : choice_.contenders(key.collective, key.size_bytes))
    all.push_back({each.algorithm, each.time_us});
  return all;
}

void ScheduleCommunicator::settle(const Operation& operation, std::string_view algorithm) {
  const auto key = key_of(operation);
  settled_[key] = algorithm;
  if (options_.on_settled) options_.on_settled(key, algorithm);
}

ScheduleCommunicator::Plan& ScheduleCommunicator::plan_for(const Operation& operation) {
  const int root = is_rooted(operation.collective) ? operation.root : 0;
  const auto key = std::make_tuple(operation.collective, algorithm_for(operation), root, operation.pattern);
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;

  auto schedule = make_schedule(operation.collective, algorithm_for(operation), topology_, root, operation.pattern);
  Plan::Programs eager{compile(*schedule, operation.collective, rank(), root, false),
                       compile(*schedule, operation.collective, rank(), root, true)};
  Plan::Programs joined{gathered(eager.out_of_place), gathered(eager.in_place)};
  const int slots = std::max(most_scratch_slots(*schedule, operation.collective, root, false),
                             most_scratch_slots(*schedule, operation.collective, root, true));
  fabric_->connect(peers_of(eager.out_of_place), Deadline::after(options_.timeout));
  Plan plan{std::move(schedule), std::move(eager), std::move(joined), slots};
  return plans_.emplace(key, std::move(plan)).first->second;
}

Ticket ScheduleCommunicator::start(const Operation& operation, Buffers buffers) {
  if (const auto reason = why_unsupported(operation, is_in_place(operation, buffers, rank()))) {
    throw BadUsage(*reason);
  }
  pending_.push_back({operation, buffers});
  ++started_;
  begin_next();
  return {started_};
}

bool ScheduleCommunicator::begin_next() {
  if (running_ || pending_.empty()) return false;
  const auto& next = pending_.front();
  const auto& plan = plan_for(next.operation);
  const auto bytes = largest_buffer_bytes(next.operation, size());
  is_long_ = bytes > least_slice_bytes_;
  if (options_.sticky_core && is_long_) options_.sticky_core->begin_long();
  if (options_.sticky_core && !is_long_) options_.sticky_core->begin_short();
  const bool joins =
      !is_long_ && bytes <= fabric_->most_joined_bytes() * static_cast<std::size_t>(plan.schedule->chunks());
  const auto& programs = joins ? plan.gathered : plan.eager;
  const auto& program = is_in_place(next.operation, next.buffers, rank()) ? programs.in_place : programs.out_of_place;
  execution_.begin(program, next.operation, next.buffers,
                   choose_slicing(next.operation, size(), program.chunks, plan.scratch_slots, least_slice_bytes_,
                                  options_.slice_bytes));
  running_ = true;
  return true;
}

bool ScheduleCommunicator::test(Ticket ticket) {
  if (finished_ < ticket.number) progress();
  return finished_ >= ticket.number;
}

void ScheduleCommunicator::progress() {
  if (!running_ && !begin_next()) return;
  fabric_->progress(Deadline::now());
  if (finish_running()) {
    begin_next();
  } else {
    execution_.copy_some();
  }
}

bool ScheduleCommunicator::finish_running() {
  if (!execution_.advance()) return false;
  if (options_.sticky_core && is_long_) options_.sticky_core->end_long();
  running_ = false;
  ++finished_;
  pending_.pop_front();
  return true;
}

void ScheduleCommunicator::wait(Ticket ticket, Clock::duration patience) {
  auto deadline = Deadline::after(patience);
  while (finished_ < ticket.number) {
    if (!running_) begin_next();
    if (finish_running()) continue;
    if (execution_.copy_some()) {
      fabric_->progress(Deadline::now());
      deadline = Deadline::after(patience);  // this rank itself was busy copying
      continue;
    }
    fabric_->progress(deadline);
    if (!deadline.passed()) {
      deadline = Deadline::after(patience);  // progress() returned early because a message completed
      continue;
    }
    if (finish_running()) continue;
    const int peer = execution_.awaited_peer();
    if (peer < 0) throw TimedOut("timed out");
    const auto limit = patience > Clock::duration::zero() ? patience : options_.timeout;
    fabric_->give_up(peer, fmt::format("it neither sent nor accepted anything within {}", as_timeout(limit)));
  }
}

void ScheduleCommunicator::run(const Operation& operation, Buffers buffers, Clock::duration patience) {
  wait(start(operation, buffers), patience);
}

std::unique_ptr<Communicator> ScheduleCommunicator::split(std::span<const int> ranks, Deadline) {
  std::vector<int> nodes;
  for (const int member : ranks) nodes.push_back(topology_.node_of(member));
  return std::make_unique<ScheduleCommunicator>(backend_, fabric_->split(ranks), Topology::nodes(nodes), options_);
}

std::optional<std::size_t> ScheduleCommunicator::sent_bytes(const Operation& operation,
                                                            const std::function<bool(int peer)>& counts) {
  return ringmark::sent_bytes(*plan_for(operation).schedule, operation, rank(), counts);
}

}  // namespace ringmark

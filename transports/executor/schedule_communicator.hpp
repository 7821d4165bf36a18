// Communicator = schedule × fabric.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/queue.hpp"
#include "base/system/affinity.hpp"
#include "transports/communicator.hpp"
#include "transports/executor/execution.hpp"
#include "transports/fabric/fabric.hpp"
#include "transports/schedules/choice.hpp"
#include "transports/schedules/chosen_algorithms.hpp"
#include "transports/schedules/topology.hpp"

namespace ringmark {

struct ScheduleOptions {
  std::string algorithm = "auto";                      ///< a name from the catalogue, or auto
  std::size_t slice_bytes = usual_slice_bytes;         ///< upper limit
  Clock::duration timeout = std::chrono::seconds(60);  ///< for connecting to the peers of a new schedule
  LinkCost link = assumed_link;                        ///< determines auto and slices; the same on every rank
  bool only_model = false;                             ///< auto uses only the link model and has no contenders
  std::shared_ptr<StickyCore> sticky_core = nullptr;   ///< used for short vectors; may be null
  bool is_preference = false;                          ///< use auto for a collective without the algorithm
  ChosenAlgorithms chosen{};                           ///< choices that auto starts with; the same on every rank
  std::function<void(const ChoiceKey&, std::string_view algorithm)> on_settled = nullptr;  ///< may be null
};

class ScheduleCommunicator final : public Communicator {
 public:
  /// `backend` names the fabric, e.g. "tcp".
  ScheduleCommunicator(std::string backend, std::unique_ptr<Fabric> fabric, Topology topology, ScheduleOptions options);

  std::string_view backend() const override { return backend_; }
  int rank() const override { return fabric_->rank(); }
  int size() const override { return fabric_->size(); }
  Memory& memory() const override { return fabric_->memory(); }
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const override;
  Choice choice_for(const Operation& operation, bool /*in_place*/) const override {
    return {std::string(algorithm_for(operation)), "", std::nullopt};
  }
  std::vector<Contender> contenders(const Operation& operation) const override;
  void settle(const Operation& operation, std::string_view algorithm) override;
  std::optional<std::size_t> sent_bytes(const Operation& operation,
                                        const std::function<bool(int peer)>& counts) override;

  void keep(std::span<std::byte> memory) override { fabric_->keep(memory); }
  void forget(std::span<std::byte> memory) override { fabric_->forget(memory); }
  Ticket start(const Operation& operation, Buffers buffers) override;
  bool test(Ticket ticket) override;
  void wait(Ticket ticket, Clock::duration patience) override;
  void progress() override;
  void run(const Operation& operation, Buffers buffers, Clock::duration patience) override;
  std::unique_ptr<Communicator> split(std::span<const int> ranks, Deadline deadline) override;

 private:
  /// A schedule with its programs. `scratch_slots` is the maximum that any rank needs, in place or not, so that all
  /// agree.
  struct Plan {
    struct Programs {
      Program out_of_place, in_place;
    };
    std::unique_ptr<Schedule> schedule;
    Programs eager, gathered;
    int scratch_slots;
  };
  struct Pending {
    Operation operation;
    Buffers buffers;
  };

  bool has_given_algorithm(const Operation& operation) const;
  std::string_view algorithm_for(const Operation& operation) const;
  ChoiceKey key_of(const Operation& operation) const;
  Plan& plan_for(const Operation& operation);
  /// Starts the first pending operation; false if there is none, or if another one is running.
  bool begin_next();
  /// Advances the running operation; true if it has ended.
  bool finish_running();

  std::string backend_;
  std::unique_ptr<Fabric> fabric_;
  Topology topology_;
  ScheduleOptions options_;
  AlgorithmChoice choice_;
  ChosenAlgorithms settled_;       ///< not shared with splits, since ranks in other groups would disagree
  std::size_t least_slice_bytes_;  ///< vectors up to this are short
  std::map<std::tuple<Collective, std::string_view, int, Pattern>, Plan> plans_;
  Execution execution_;
  bool running_ = false;
  bool is_long_ = false;  ///< the running operation's vector is long
  Queue<Pending> pending_;
  std::uint64_t started_ = 0, finished_ = 0;
};

}  // namespace ringmark

// One rank's way through a run: every type, reduction, size and placement in turn, a Record for each.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bench/flags/options.hpp"
#include "bench/harness/run_buffers.hpp"
#include "bench/harness/transports.hpp"
#include "results/sink.hpp"

namespace ringmark {

class Session {
 public:
  /// `sink` is null but on rank 0. `groups` run at once, each with a communicator of its own: one of a rank in none has
  /// that rank alone. Null if all ranks run together.
  Session(Collective collective, const BenchOptions& options, RankResources& resources, Communicator& communicator,
          std::string run_id, Sink* sink, const GroupKind* groups = nullptr);

  /// Returns exit_ok; exit_wrong if a result was wrong or took another path than asked for; exit_unusable if nothing
  /// could be measured.
  int run();

 private:
  /// A type, reduction and size, from which each group makes its operation.
  struct Setting {
    DataType type;
    ReduceOp op;
    std::size_t size_bytes;
    bool operator==(const Setting&) const = default;
  };
  struct Row {
    Record record;
    Samples samples;
    double bus_factor = 0;
  };

  /// The row of all ranks, or those of the groups and the one of all groups.
  std::vector<Row> measure_rows(const Setting& setting, bool in_place, RunBuffers& buffers);
  void settle_algorithm(const Setting& setting, RunBuffers& buffers);
  void measure_into(std::vector<Row>& rows, const Operation& operation, bool in_place, RunBuffers& buffers);
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const;
  std::optional<std::string> try_out(const Operation& operation, bool in_place, RunBuffers& buffers, Record& record);
  /// Valid until the next setting's: the counts of many ranks take long to make, and much memory.
  const Operation& operation_of(const Setting& setting, int ranks) const;
  /// The one that this rank runs. A rank in no group has nothing to do: neither roots nor counts are made for it.
  Operation own_operation(const Setting& setting) const;
  Record describe(const Operation& operation, bool in_place, int ranks) const;
  std::vector<Row> describe_all(const Setting& setting, bool in_place) const;
  void add_choices(std::vector<Row>& rows, const Operation& operation, bool in_place) const;
  bool is_idle() const { return groups_ != nullptr && !groups_->group_of(resources_.control->rank()); }
  std::size_t group_count() const { return groups_ == nullptr ? 0 : groups_->groups.size(); }

  Collective collective_;
  const BenchOptions& options_;
  RankResources& resources_;
  Communicator& communicator_;
  std::string run_id_;
  Sink* sink_;
  const GroupKind* groups_;
  mutable std::optional<Setting> last_setting_;
  mutable std::map<int, Operation> operations_;  ///< of the last setting, by ranks
  bool all_right_ = true;
  bool anything_measured_ = false;
};

}  // namespace ringmark

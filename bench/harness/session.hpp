// One rank's part of a run: measures every type, reduction, size and placement in turn, with a Record for each.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bench/flags/options.hpp"
#include "bench/harness/run_buffers.hpp"
#include "bench/harness/transports.hpp"
#include "results/files/sink.hpp"

namespace ringmark {

class Session {
 public:
  /// `sink` is null except on rank 0. `groups` run concurrently, each with its own communicator; a rank in no group has
  /// one of only itself. Null if all ranks run together.
  Session(Collective collective, const BenchOptions& options, RankResources& resources, Communicator& communicator,
          std::string run_id, Sink* sink, const GroupKind* groups = nullptr);

  /// Returns exit_ok; exit_wrong if a result was wrong or took another path than requested; exit_unusable if nothing
  /// could be measured.
  int run();

 private:
  /// A type, reduction and size, from which each group derives its operation.
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

  /// The row of all ranks, or those of the groups and one for all groups.
  std::vector<Row> measure_rows(const Setting& setting, bool in_place, RunBuffers& buffers);
  void settle_algorithm(const Setting& setting, RunBuffers& buffers);
  void measure_into(std::vector<Row>& rows, const Operation& operation, bool in_place, RunBuffers& buffers);
  std::optional<std::string> why_unsupported(const Operation& operation, bool in_place) const;
  std::optional<std::string> try_out(const Operation& operation, bool in_place, RunBuffers& buffers, Record& record);
  /// Cached, because the counts of many ranks take long to compute; valid until the next setting, because they need
  /// much memory.
  const Operation& operation_of(const Setting& setting, int ranks) const;
  /// The operation that this rank runs. A rank in no group has none, so neither roots nor counts are computed for it.
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

// Collects the NCCL calls of a capture or log, one after another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/import/import.hpp"
#include "replay/import/messages.hpp"

namespace ringmark::replay {

/// A call as NCCL received it, with NCCL's numbers for types and reductions.
struct RecordedCall {
  std::string function;  ///< NCCL's name without its prefix
  std::uint64_t count = 0;
  int type = 0, op = 0, root = 0;
  std::string communicator;
  double at_us = 0, took_us = 0;  ///< on the host; 0 if unknown
  /// Messages of a communicator with different numbers were launched separately; nothing if unknown.
  std::optional<std::uint64_t> launch{};
};

class CallRecorder {
 public:
  /// Declares a communicator. A key may be declared again for another communicator; `id` is the same on all its ranks,
  /// empty if unknown.
  void communicator(const std::string& key, int rank, int ranks, const std::string& id = "");
  /// Sets the number of ranks of a communicator whose creation was not recorded.
  void know_ranks(const std::string& key, int ranks);
  void call(const RecordedCall& made);
  void group_begins();
  void group_ends();
  /// Ends a group. If it is the outermost one, discards its calls, which NCCL did not make, and counts it as `what`.
  void group_was_not_made(const std::string& what);
  void skip(const std::string& what) { ++imported_.not_understood[what]; }

  Imported finish(std::string format);

 private:
  /// Its state before the outermost group.
  struct Before {
    std::size_t calls = 0;
    std::map<std::string, int> not_understood;
    double last_end_us = 0;
  };

  void add(Collective collective, std::uint64_t elements, DataType type, ReduceOp op, int root, int communicator,
           double computed_us);
  void add_message(const Message& message, int communicator, const RecordedCall& made);
  double computed_until(double at_us) const;
  int index_of(const std::string& key);

  Imported imported_;
  std::map<std::string, int> index_;
  int batch_ = -1;  ///< of the last message, if the next one may be launched with it
  int batches_ = 0, batch_communicator_ = -1;
  std::optional<std::uint64_t> batch_launch_;
  Before before_;
  int open_groups_ = 0, scaled_sums_ = 0;
  double last_end_us_ = 0;
  bool has_times_ = false;
};

}  // namespace ringmark::replay

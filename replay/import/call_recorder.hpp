// Collects the NCCL calls of a capture or log, one after another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/import/import.hpp"
#include "replay/import/messages.hpp"

namespace ringmark::replay {

class CallRecorder {
 public:
  /// Declares a communicator. A key may be declared again for another communicator.
  void communicator(const std::string& key, int rank, int ranks);
  /// Sets the number of ranks of a communicator whose creation was not recorded.
  void know_ranks(const std::string& key, int ranks);
  /// `function` is NCCL's name without its prefix; type and op are NCCL's numbers. `at_us` and `took_us` are the call's
  /// times on the host; 0 if unknown.
  void call(const std::string& function, std::uint64_t count, int type, int op, int root,
            const std::string& communicator, double at_us, double took_us);
  void group_begins();
  void group_ends();
  /// Forgets the calls since the outermost group began: they were not made.
  void group_was_not_made(const std::string& what);
  void skip(const std::string& what) { ++imported_.not_understood[what]; }

  Imported finish(std::string format);

 private:
  struct Messages {
    int communicator = -1;
    std::vector<Message> all;
    double computed_us = 0;  ///< computation before the first message
  };

  /// Its state before the outermost group.
  struct Before {
    std::size_t calls = 0;
    std::map<std::string, int> not_understood;
    double last_end_us = 0;
  };

  void add(Collective collective, std::uint64_t elements, DataType type, ReduceOp op, int root, int communicator,
           double computed_us);
  double computed_until(double at_us) const;
  void flush_messages();
  int index_of(const std::string& key);

  Imported imported_;
  std::map<std::string, int> index_;
  Messages messages_;
  Before before_;
  int open_groups_ = 0;
  double last_end_us_ = 0;
  bool has_times_ = false;
};

}  // namespace ringmark::replay

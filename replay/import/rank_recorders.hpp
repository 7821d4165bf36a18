// The recorders for the ranks in a recording: one per process, or one per rank of a process with several.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/import/call_recorder.hpp"

namespace ringmark::replay {

/// A communicator as a process made it.
struct NewCommunicator {
  std::string key;  ///< its name in the process's calls
  std::string id;   ///< the same on all ranks; empty or "0": unknown
  int rank = 0, ranks = 0;
  std::optional<int> device;  ///< the number of the rank's GPU in the process
  std::string parent;         ///< key of the communicator that was split; empty: none
};

class RankRecorders {
 public:
  /// Declares a process's communicator. Two with the same id, or on two GPUs, are two ranks in one process.
  void communicator(const std::string& process, const NewCommunicator& made);
  /// The recorder for calls over a communicator. In a process that declared none, each GPU is a rank.
  CallRecorder& of(const std::string& process, const std::string& key, std::optional<int> device = std::nullopt);
  /// The recorder for records without a communicator: the process's first rank.
  CallRecorder& of(const std::string& process);
  void group_begins(const std::string& process);
  void group_ends(const std::string& process);
  /// Discards the calls since the group began, which NCCL did not make.
  void group_was_not_made(const std::string& process, const std::string& what);
  bool empty() const { return ranks_.empty(); }

  /// The ranks' recordings by name, in order of appearance. Ranks without calls are left out, unless all have none.
  std::vector<std::pair<std::string, Imported>> finish(const std::string& format);

 private:
  struct Rank {
    std::string process, name;
    int number = -1;                 ///< its rank in the process's first communicator; -1: none yet
    std::optional<int> device;       ///< its GPU
    std::map<std::string, int> ids;  ///< its rank in each communicator, by id
    CallRecorder recorder;
  };

  Rank& first_of(const std::string& process);
  Rank& rank_of(const std::string& process, const NewCommunicator& made);
  Rank& rank_on(const std::string& process, int device);
  template <class Use>
  void for_ranks_of(const std::string& process, Use use);

  std::list<Rank> ranks_;
  std::map<std::pair<std::string, std::string>, Rank*> by_key_;
};

}  // namespace ringmark::replay

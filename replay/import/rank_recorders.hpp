// The recorders for the ranks in a recording: one per process, or one per rank of a process with several.
#pragma once

#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "replay/import/call_recorder.hpp"

namespace ringmark::replay {

class RankRecorders {
 public:
  /// Declares a process's communicator, which its calls name by `key`. Two with the same id are two ranks in one
  /// process.
  void communicator(const std::string& process, const std::string& key, const std::string& id, int rank, int ranks);
  /// The recorder for calls over a communicator.
  CallRecorder& of(const std::string& process, const std::string& key);
  /// The recorder for records without a communicator: the process's first rank.
  CallRecorder& of(const std::string& process);
  void group_ends(const std::string& process);
  bool empty() const { return ranks_.empty(); }

  /// The ranks' recordings by name, in order of appearance. Ranks without calls are left out, unless all have none.
  std::vector<std::pair<std::string, Imported>> finish(const std::string& format);

 private:
  struct Rank {
    std::string process, name;
    int number = -1;                 ///< its rank in the process's first communicator; -1: none yet
    std::map<std::string, int> ids;  ///< its rank in each communicator, by id
    CallRecorder recorder;
  };

  Rank& first_of(const std::string& process);

  std::list<Rank> ranks_;
  std::map<std::pair<std::string, std::string>, Rank*> by_key_;
};

}  // namespace ringmark::replay

// Recorders of the ranks that a recording has: one for each process, or for each of its ranks where it has several.
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
  /// A communicator of a process, by the key that its calls name it by. Two of one id are two ranks in one process.
  void communicator(const std::string& process, const std::string& key, const std::string& id, int rank, int ranks);
  /// For a call over a communicator.
  CallRecorder& of(const std::string& process, const std::string& key);
  /// For what is of no communicator: the process's first rank.
  CallRecorder& of(const std::string& process);
  void group_ends(const std::string& process);
  bool empty() const { return ranks_.empty(); }

  /// By name, in the order in which they came. Those without calls are left out, unless they are all that there is.
  std::vector<std::pair<std::string, Imported>> finish(const std::string& format);

 private:
  struct Rank {
    std::string process, name;
    int number = -1;                 ///< in the process's first communicator; -1: it had none yet
    std::map<std::string, int> ids;  ///< of its communicators, with its rank in each
    CallRecorder recorder;
  };

  Rank& first_of(const std::string& process);

  std::list<Rank> ranks_;
  std::map<std::pair<std::string, std::string>, Rank*> by_key_;
};

}  // namespace ringmark::replay

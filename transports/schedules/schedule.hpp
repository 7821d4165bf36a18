// A collective algorithm as data: who sends which chunk to whom in which step.
//
// A schedule cuts the vector of an operation into chunks(): near-equal parts of the whole for all_reduce, reduce and
// broadcast, the ranks' blocks for reduce_scatter, all_gather and all_to_all (there chunks() == ranks()). In a step a
// rank sends chunks with their content from before the step, and receives others. Only data orders the steps: nobody
// waits for a step to end everywhere. Both ends list the messages between them in the same order.
#pragma once

#include <string_view>
#include <vector>

namespace ringmark {

enum class Combine {
  copy,
  reduce,
  reduce_last,  ///< completes the chunk: `avg` divides here
};

struct Send {
  int peer;
  int chunk;  ///< for all_to_all: the send buffer's block for rank `chunk`
};

struct Receive {
  int peer;
  int chunk;  ///< for all_to_all: the receive buffer's block from rank `chunk`
  Combine combine;
};

struct Step {
  std::vector<Send> sends;
  std::vector<Receive> receives;

  void clear() {
    sends.clear();
    receives.clear();
  }
  /// Appends the chunks [first, last).
  void send(int peer, int first, int last) {
    for (int chunk = first; chunk < last; ++chunk) sends.push_back({peer, chunk});
  }
  void receive(int peer, int first, int last, Combine combine) {
    for (int chunk = first; chunk < last; ++chunk) receives.push_back({peer, chunk, combine});
  }
};

/// Pure arithmetic: no state changes after construction, so one schedule serves any number of readers.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual std::string_view algorithm() const = 0;
  virtual int ranks() const = 0;
  virtual int chunks() const = 0;
  virtual int steps() const = 0;
  /// Appends the sends and receives of `rank` in `step` to `out`.
  virtual void append(int rank, int step, Step& out) const = 0;
  /// Ranks of one class send and receive equally many chunks, combined equally, in every step.
  virtual int symmetry_class(int rank) const = 0;
};

}  // namespace ringmark

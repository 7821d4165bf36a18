// A collective algorithm as data: which rank sends which chunk to which rank in which step.
//
// A schedule splits the vector of an operation into chunks(): near-equal parts of the whole for all_reduce, reduce,
// broadcast and send_recv, the ranks' blocks for the others (where chunks() == ranks()). Chunk r is rank r's block,
// except in an all_to_all, where chunk d is the block that travels d ranks: each rank begins with one such block in its
// input and ends with another in its output. In a step, a rank sends chunks with their content from before the step,
// and receives others. Only data dependencies order the steps: no rank waits for a step to end everywhere. Both ends
// list the messages between them in the same order.
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
  int chunk;
};

struct Receive {
  int peer;
  int chunk;
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
  /// The number of steps in the cost model: a message that follows another from the same rank without waiting counts as
  /// half a step.
  virtual double latency_steps() const { return steps(); }
  /// Appends the sends and receives of `rank` in `step` to `out`.
  virtual void append(int rank, int step, Step& out) const = 0;
  /// Ranks of one class send and receive the same number of chunks, combined in the same way, in every step.
  virtual int symmetry_class(int rank) const = 0;
  /// The rank where a chunk that `rank` sends in `step` began; matters only for an all_to_all.
  virtual int origin(int rank, int /*step*/, int /*chunk*/) const { return rank; }
  /// False if a rank sends only its own input, and keeps everything it receives.
  virtual bool relays() const { return true; }
  /// True if slices of a long vector keep all ranks busy at once, although a single step has work for only a few.
  virtual bool overlaps_steps() const { return false; }
};

}  // namespace ringmark

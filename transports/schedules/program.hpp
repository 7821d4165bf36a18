// One rank's part of a schedule, laid out in memory: a list of sends and a list of receives. An executor works through
// both from front to back, and starts each entry as soon as its dependencies are complete.
//
// A dependency is a number: "this many entries from the front of the other list (or of this one) are complete". An
// executor needs to know nothing else; find_defect (checker.hpp) proves this sufficient and free of deadlock within one
// window. Only the executor's tests cover successive windows in the same scratch memory (after_previous_…).
#pragma once

#include <vector>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// Memory of a chunk. The same bytes always have the same Location: in place, `input` names only chunks that are not
/// also in `output`.
struct Location {
  enum class Space { input, output, scratch } space;
  int index;  ///< the chunk (for an all_to_all, the block of the buffer); in scratch memory, the slot

  bool operator==(const Location&) const = default;
};

struct ProgramSend {
  int peer;
  int chunk;
  int origin;  ///< rank where the chunk of an all_to_all began; origin and chunk determine the length
  Location from;
  int after_receives;  ///< this many receives must be complete before `from` may be read
  int step;

  bool operator==(const ProgramSend&) const = default;
};

struct ProgramReceive {
  int peer;
  int chunk;
  int origin;
  Combine combine;
  Location to;
  Location local;  ///< for a reduction: `to` becomes `local` (op) the incoming chunk
  bool staged;     ///< receive into `staging`, then combine, because a send of the same step still reads `to`
  Location staging;
  int after_receives;  ///< before any byte is written
  int after_sends;     ///< before `to` is written: before combining if staged, else before receiving
  /// Numbers of entries of the previous window that must be complete first, since it uses the same scratch slots.
  int after_previous_receives = 0;
  int after_previous_sends = 0;
  int step;
};

struct Program {
  int chunks = 0;
  int scratch_slots = 0;  ///< each as long as the longest chunk
  std::vector<ProgramSend> sends;
  std::vector<ProgramReceive> receives;
  std::vector<int> local_copies;  ///< indexes of chunks to copy from the input to the output, at any time
};

/// The index of a chunk in a rank's buffer: the chunk's number; in an all_to_all, the number of the rank that the block
/// is for (input) or from (output).
constexpr int input_index(Collective collective, int rank, int ranks, int chunk) {
  return collective == Collective::all_to_all ? (rank + chunk) % ranks : chunk;
}
constexpr int output_index(Collective collective, int rank, int ranks, int chunk) {
  return collective == Collective::all_to_all ? (rank - chunk + ranks) % ranks : chunk;
}

/// True if `chunk` must be in this rank's output buffer at the end.
bool is_result(Collective collective, int rank, int root, int chunk);

Program compile(const Schedule& schedule, Collective collective, int rank, int root, bool in_place);

/// The same program, except that all sends of a step to one peer are posted together, when the last of them is ready. A
/// fabric can then join them into one message, which for short vectors saves more time than early sends would.
Program gathered(Program program);

/// The maximum number of scratch slots that any rank needs. Every rank computes the same, so all agree on a slice
/// length.
int most_scratch_slots(const Schedule& schedule, Collective collective, int root, bool in_place);

}  // namespace ringmark

// One rank's part of a schedule, laid out in memory: two lists, of sends and of receives, that an executor works off
// from front to back, each entry as soon as what it depends on is complete.
//
// A dependency is a number: "so many entries from the front of the other list (or of this one) are complete". That is
// all an executor needs to know; find_defect (checker.hpp) proves it sufficient and free of deadlock within one window.
// That windows follow one another in the same scratch memory (after_previous_…) is tested by the executor's tests
// alone.
#pragma once

#include <vector>

#include "base/operation.hpp"
#include "transports/schedules/schedule.hpp"

namespace ringmark {

/// Where a chunk is kept. The same bytes always have the same Location: in place, `input` names only what is not also
/// `output`.
struct Location {
  enum class Space { input, output, scratch } space;
  int index;  ///< the chunk, or for scratch the slot

  bool operator==(const Location&) const = default;
};

struct ProgramSend {
  int peer;
  int chunk;  ///< tells the length
  Location from;
  int after_receives;  ///< this many receives must be complete before `from` may be read
  int step;

  bool operator==(const ProgramSend&) const = default;
};

struct ProgramReceive {
  int peer;
  int chunk;
  Combine combine;
  Location to;
  Location local;  ///< for a reduction: `to` becomes `local` (op) the incoming chunk
  bool staged;     ///< a send of the same step still reads `to`: receive into `staging`, then combine
  Location staging;
  int after_receives;  ///< before any byte is written
  int after_sends;     ///< before `to` is written: if staged before combining, else before receiving
  /// What must be complete in the previous run of the same program, which uses the same scratch slots.
  int after_previous_receives = 0;
  int after_previous_sends = 0;
  int step;
};

struct Program {
  int chunks = 0;
  int scratch_slots = 0;  ///< each as long as the longest chunk
  std::vector<ProgramSend> sends;
  std::vector<ProgramReceive> receives;
  std::vector<int> local_copies;  ///< chunks to copy from input to output, at any time
};

/// True if `chunk` must be in this rank's output buffer at the end.
bool is_result(Collective collective, int rank, int root, int chunk);

Program compile(const Schedule& schedule, Collective collective, int rank, int root, bool in_place);

/// The same program, but what goes to one peer in one step is sent together, when the last of it can be. For short
/// vectors over a fabric that makes one message of it, which costs less than what one that left early would gain.
Program gathered(Program program);

/// The scratch slots that no rank exceeds: the same number on every rank, so that all can agree on a slice from it.
int most_scratch_slots(const Schedule& schedule, Collective collective, int root, bool in_place);

}  // namespace ringmark

// Turns traces of applications into step traces: the collectives in order, and the computation between them if the
// trace shows it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/trace/role_trace_file.hpp"
#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// When a call ran on the device.
struct Ran {
  double begin_us = 0, end_us = 0;
  bool operator==(const Ran&) const = default;
};

/// The other end of a message.
struct Peer {
  bool is_sent = false;  ///< to the peer; else from it
  int number = 0;        ///< in the communicator, or among all ranks

  bool operator==(const Peer&) const = default;
};

/// A recorded collective or message.
struct Call {
  Collective collective = Collective::all_reduce;
  std::uint64_t elements = 0;  ///< counted like Event::elements
  DataType type = DataType::float32;
  int root = 0;
  Phase phase = Phase::forward;
  bool is_async = false;
  double computed_us = 0;  ///< computation since the previous call
  ReduceOp op = ReduceOp::sum;
  int communicator = -1;   ///< index into Imported::communicators; -1: all ranks
  bool is_uneven = false;  ///< an all_to_all whose parts differ in size; `elements` are those that this rank sends
  bool is_share = false;   ///< `elements` are one rank's share, until the number of ranks is known
  std::vector<std::uint64_t> parts{};  ///< of an all_to_all: elements that this rank sends to each; empty if unknown
  Pattern pattern = Pattern::ring;     ///< of a send_recv
  bool is_received = false;            ///< a send_recv in which this rank only receives
  std::optional<Peer> peer{};          ///< of a send_recv that is a single message
  int batch = -1;                      ///< messages with the same number were launched together; -1: alone
  int step = -1;                       ///< the marked step to which it belongs; -1: none
  std::optional<Ran> ran{};            ///< nothing if the recording does not show it

  bool operator==(const Call&) const = default;
};

/// True if the calls are equal except for times and for the sizes of uneven parts, which differ from step to step.
bool is_same_call(const Call& a, const Call& b);
/// The same for calls of two ranks: parts that happen to be even on one may be uneven on the other.
bool is_same_but_for_parts(Call a, Call b);

/// One rank's knowledge of a communicator.
struct CommunicatorSeen {
  int rank = -1;             ///< the recording rank's number in it; -1: unknown
  int ranks = 0;             ///< 0: unknown
  std::vector<int> members;  ///< numbers among all ranks; empty: unknown
  std::string id{};          ///< the same on all its ranks, and unique to it; empty: unknown
};

struct Imported {
  std::string format;  ///< "PyTorch execution trace 1.0.1"
  std::vector<Call> calls;
  std::optional<int> ranks;
  std::optional<int> world;  ///< the number of all ranks, where the recording states it
  std::optional<int> rank;   ///< the rank that recorded
  std::vector<CommunicatorSeen> communicators;
  /// The members of each group of this rank, in the order in which all ranks created theirs; for recordings whose
  /// messages name no group.
  std::vector<std::vector<int>> own_groups;
  double computed_beside_us = 0;  ///< computation during the last call, if recorded
  double computed_after_us = 0;
  std::size_t marked_steps = 0;  ///< steps marked in the recording; 0: no marks
  std::set<int> unread_steps;    ///< marked steps with a call that could not be read
  bool is_of_a_run = false;      ///< recorded a whole run, with an unknown number of steps
  std::vector<std::string> remarks;
  std::map<std::string, int> not_understood;  ///< number of records by name
};

/// What the user states about recordings that do not show it.
struct RecordingFacts {
  std::optional<int> ranks;
  std::optional<int> steps;  ///< number of identical steps recorded; one is kept
};

/// Reads a PyTorch execution trace (Chakra ET), a Kineto trace, a PARAM trace, a dump of PyTorch's Flight Recorder, a
/// recording of libringmark-capture.so, or a log of NCCL; the content shows which. Returns one recording for each
/// process in it, with the calls of one step, and messages as calls of all ranks. Throws BadUsage with the expected
/// content.
std::vector<std::pair<std::string, Imported>> import_text(const std::string& file, const std::string& text,
                                                          const RecordingFacts& given = {});

/// Takes one file for each rank, or one for all. Ranks whose calls differ get roles. Throws BadUsage with the first
/// call in which ranks contradict each other, or if neither the files nor `given` give the number of ranks.
AnyTrace import_files(const std::vector<std::string>& files, const RecordingFacts& given,
                      std::vector<std::string>& notes);

}  // namespace ringmark::replay

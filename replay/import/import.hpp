// Traces of applications, as step traces: what was communicated, in which order, and what computed in between where
// the trace tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// A collective as a trace has it.
struct Call {
  Collective collective = Collective::all_reduce;
  std::uint64_t elements = 0;  ///< as Event::elements
  DataType type = DataType::float32;
  int root = 0;
  Phase phase = Phase::forward;
  bool is_async = false;
  double computed_us = 0;  ///< computation since the call before
  ReduceOp op = ReduceOp::sum;
  int communicator = -1;  ///< index into Imported::communicators; -1: of all ranks

  bool operator==(const Call&) const = default;
};

/// What all ranks agree in of a call; times are their own.
bool is_same_call(const Call& a, const Call& b);

/// A communicator as one rank knows it.
struct CommunicatorSeen {
  int rank = -1;             ///< of the one that recorded, in it; -1: not told
  int ranks = 0;             ///< 0: not told
  std::vector<int> members;  ///< among all ranks, if told
};

struct Imported {
  std::string format;  ///< "PyTorch execution trace 1.0.1"
  std::vector<Call> calls;
  std::optional<int> ranks;
  std::optional<int> rank;  ///< whose recording it is
  std::vector<CommunicatorSeen> communicators;
  double computed_beside_us = 0;  ///< while the last call was under way, if the recording tells
  double computed_after_us = 0;
  std::size_t uneven = 0;        ///< all_to_alls whose parts differ in size
  std::size_t marked_steps = 0;  ///< that the recording says it consists of; 0 if it does not
  bool is_of_a_run = false;      ///< recorded while a program ran, whatever steps it made
  std::vector<std::string> remarks;
  std::map<std::string, int> not_understood;  ///< by name: how many records
};

/// What a person says of recordings that do not tell it themselves.
struct ToldOfRecording {
  std::optional<int> ranks;
  std::optional<int> steps;  ///< of the same calls, of which one is kept
};

/// A PyTorch execution trace (Chakra ET), a Kineto trace, a PARAM trace, calls that libringmark-capture.so recorded, or
/// a log of NCCL; told by its content. One for each process that is in it, with the calls of one step of `steps`.
/// Throws BadUsage with what was expected.
std::vector<std::pair<std::string, Imported>> import_text(const std::string& file, const std::string& text,
                                                          std::optional<int> steps = {});

/// One file for each rank, or one for all. Throws BadUsage with the first call in which two differ, or if the number of
/// ranks is neither in the files nor told.
StepTrace import_files(const std::vector<std::string>& files, const ToldOfRecording& told,
                       std::vector<std::string>& notes);

}  // namespace ringmark::replay

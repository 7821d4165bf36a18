// A training step as a program of events, the same for all ranks: schema steptrace/1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation.hpp"

namespace ringmark::replay {

/// No trace is read or imported with more ranks, nor with a rank number beyond them.
inline constexpr int most_ranks = 1 << 20;

enum class Phase { forward, recompute, backward, step };
std::string_view name(Phase phase);
std::optional<Phase> parse_phase(std::string_view text);

enum class EventKind {
  compute,     ///< occupies its stream for as long as the device needs
  collective,  ///< occupies its channel, and its stream unless it is asynchronous
  copy,        ///< memory traffic of the device: flatten, cast, divide
  wait,        ///< its stream goes on when what it depends on is complete
  host_sync,   ///< nothing later is issued, on any stream, until what it depends on is complete
};

struct Event {
  EventKind kind = EventKind::compute;
  Phase phase = Phase::forward;
  int micro_step = 0;
  int stream = 0;          ///< index into StepTrace::streams
  std::vector<int> after;  ///< events, by index, all of them earlier
  std::string tag;

  // compute and copy: a measured time, or what a device computes it from
  std::optional<double> time_us;
  double flops = 0;
  double memory_bytes = 0;

  // collective
  Collective collective = Collective::all_reduce;
  std::uint64_t elements = 0;  ///< of the full tensor, padded; of all_to_all what a rank sends in all
  DataType type = DataType::bfloat16;
  ReduceOp op = ReduceOp::sum;
  int group = 0;    ///< index into StepTrace::groups
  int channel = 0;  ///< index into StepTrace::channels
  bool is_async = false;
  int root = 0;

  bool operator==(const Event&) const = default;
};

/// True for what a device does by itself: computations, and copies in its memory.
bool computes(const Event& event);

/// Which ranks communicate: all, blocks of neighbours (a node's), or every n-th (one of each node).
struct Group {
  enum class Kind { world, block, stride };

  std::string name = "dp";
  Kind kind = Kind::world;
  int width = 1;  ///< of a block; the distance of a stride

  int size(int ranks) const;
  /// Ascending; of the group that `rank` is in.
  std::vector<int> members(int rank, int ranks) const;
  int first_member(int rank) const;
  bool operator==(const Group&) const = default;
};

/// A communicator: its collectives follow one another in the order of the trace, whatever stream issues them.
struct Channel {
  std::string name = "dp";
  int group = 0;

  bool operator==(const Channel&) const = default;
};

/// What a rank must hold in the step, by what it is for, in the order of the sum.
struct MemoryPart {
  std::string what;
  double bytes = 0;
  bool grows = false;  ///< with the micro-batch

  bool operator==(const MemoryPart&) const = default;
};

double total_bytes(const std::vector<MemoryPart>& memory);

/// Of a tensor: more cannot be.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;

/// Of a step, which has thousands: with more it is several steps, or cannot be held in memory.
constexpr std::size_t most_events = 4'000'000;

struct StepTrace {
  std::string id, model, source;
  std::uint64_t model_elements = 0;
  int ranks = 1;
  int micro_steps = 1;
  /// Samples that a rank works on in a micro-step, and their length; 0 if the trace does not tell.
  std::uint64_t micro_batch = 0, sequence = 0;
  /// What else shaped it, by name; numbers and truths as text.
  std::map<std::string, std::string> parameters;
  std::vector<MemoryPart> memory;  ///< on so many ranks; empty if the trace does not tell
  std::vector<std::string> streams{"comp"};
  std::vector<Group> groups{Group{}};
  std::vector<Channel> channels{Channel{}};
  std::vector<Event> events;

  const Group& group_of(const Event& event) const { return groups[static_cast<std::size_t>(event.group)]; }
  /// Of `parameters`; empty if it is not there.
  std::string parameter(const std::string& name) const;

  bool operator==(const StepTrace&) const = default;
};

/// A hash of what ranks have to agree on: events, in their order, and who takes part. Almost every other trace has
/// another one.
std::uint64_t fingerprint(const StepTrace& trace);

/// Throws BadUsage if a group's width does not divide the ranks.
void check_groups(const StepTrace& trace, int ranks);

/// The operation on a communicator of `group_ranks` ranks; elements are rounded up to what these can share.
Operation operation_of(const Event& event, int group_ranks);

/// Bytes that a rank sends at the least, by nccl-tests' convention: S times the factor of bus bandwidth.
double wire_bytes(const Event& event, int group_ranks);

}  // namespace ringmark::replay

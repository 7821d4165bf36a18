// A training step as a list of events, the same for all ranks: schema steptrace/1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation.hpp"
#include "replay/step/software.hpp"
#include "replay/trace/operator.hpp"

namespace ringmark::replay {

/// Upper limit of ranks in traces that are read or imported.
inline constexpr int most_ranks = 1 << 20;

enum class Phase { forward, recompute, backward, step };
std::string_view name(Phase phase);
std::optional<Phase> parse_phase(std::string_view text);

/// How far communication of gradients overlaps with computation.
enum class Overlap {
  none,    ///< not at all
  depth1,  ///< until the next bucket is launched: DeepSpeed since 0.14.3
  ideal,   ///< to the end of the backward pass: PyTorch's DDP
};
std::string_view name(Overlap overlap);
std::optional<Overlap> parse_overlap(std::string_view text);

/// How ZeRO 1 and 2 reduce gradients.
enum class Gradients {
  as_shipped,
  reduce_scatter,  ///< a bucket is one reduce_scatter in equal parts
};
std::string_view name(Gradients gradients);
std::optional<Gradients> parse_gradients(std::string_view text);

enum class EventKind {
  compute,     ///< occupies its stream while the device computes
  collective,  ///< occupies its channel, and its stream unless it is asynchronous
  copy,        ///< memory traffic of the device: flatten, cast, divide
  send,        ///< a message to another rank, on its group's channel
  receive,     ///< a message from another rank
  wait,        ///< its stream pauses until its dependencies are complete
  host_sync,   ///< no stream issues later events until its dependencies are complete
};

/// "comp", as traces write it.
std::string_view name(EventKind kind);

struct Event {
  EventKind kind = EventKind::compute;
  Phase phase = Phase::forward;
  int micro_step = 0;
  int stream = 0;          ///< index into StepTrace::streams
  std::vector<int> after;  ///< dependencies: indices of earlier events
  std::string tag;

  // compute and copy: a measured time, or the work from which it is computed
  std::optional<double> time_us;
  double flops = 0;
  double memory_bytes = 0;
  std::vector<Operator> operators;  ///< the shapes behind flops; empty if unknown
  bool is_launched = true;          ///< launching it costs the host its time per module
  double host_us = 0;               ///< in addition to a launch, where the framework's host code is known to be slow

  // collective
  Collective collective = Collective::all_reduce;
  std::uint64_t elements = 0;  ///< of the full tensor, padded; for all_to_all: all that a rank sends
  DataType type = DataType::bfloat16;
  ReduceOp op = ReduceOp::sum;
  int group = 0;    ///< index into StepTrace::groups
  int channel = 0;  ///< index into StepTrace::channels
  bool is_async = false;
  int root = 0;
  Pattern pattern = Pattern::ring;    ///< of a send_recv
  std::vector<std::uint64_t> counts;  ///< of an all_to_all with unequal parts: what each rank of the group sends to
                                      ///< each, row by row, or one row that all ranks send; empty if equal
  int counts_ranks = 0;               ///< the group size that the counts are for; 0 without counts

  // where ranks have roles (role_trace.hpp)
  int peer = 0;  ///< of a message: the other rank minus this one (in a step of one rank, root is the sender)
  std::optional<int> batch;         ///< calls of a pass with the same number form one launch
  bool is_boolean = false;          ///< the elements are booleans, sent as bytes
  bool depends_on_routing = false;  ///< parts depend on the router's choices; equal parts are assumed
  /// Of a wait: it waits for all calls of the group `drains`, or for the oldest message received in the group
  /// `oldest_message_of` that has not been waited for.
  std::optional<int> drains, oldest_message_of;

  bool operator==(const Event&) const = default;
};

/// True for the device's own work: computations, and copies in its memory.
bool computes(const Event& event);
bool is_message(const Event& event);
/// True for collectives and messages.
bool is_call(const Event& event);
/// "all_reduce", or "send" and "recv" of a message.
std::string_view call_name(const Event& event);

/// Ranks that communicate: all, blocks of neighbours (a node), every n-th (one per node), or those listed.
struct Group {
  enum class Kind { world, block, stride, list };

  std::string name = "dp";
  Kind kind = Kind::world;
  int width = 1;          ///< size of a block, or distance of a stride
  std::vector<int> list;  ///< ascending; only in a step of one rank (rank_steps.hpp), which is a member

  int size(int ranks) const;
  /// Members of the group that contains `rank`, ascending.
  std::vector<int> members(int rank, int ranks) const;
  int first_member(int rank) const;
  bool operator==(const Group&) const = default;
};

/// A communicator: its collectives run one after another in the order of the trace, whichever stream issues them.
struct Channel {
  std::string name = "dp";
  int group = 0;

  bool operator==(const Channel&) const = default;
};

/// A part of the memory that a rank needs in the step.
struct MemoryPart {
  std::string what;
  double bytes = 0;
  bool grows = false;  ///< with the micro-batch

  bool operator==(const MemoryPart&) const = default;
};

double total_bytes(const std::vector<MemoryPart>& memory);

/// Upper limit of a tensor's elements.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;

/// Upper limit of a step's events. A step has thousands; a longer trace is several steps, or does not fit into memory.
constexpr std::size_t most_events = 4'000'000;

struct StepTrace {
  std::string id, model, source;
  std::uint64_t model_elements = 0;
  int ranks = 1;
  int micro_steps = 1;
  /// Samples per rank and micro-step, and their length in tokens; 0 if unknown.
  std::uint64_t micro_batch = 0, sequence = 0;
  int ranks_per_sample = 1;  ///< that work on the same samples, as with tensor and pipeline parallelism
  // Parameters that other code depends on; empty if the trace does not state them.
  std::optional<int> ranks_per_node;
  std::optional<DataType> type;  ///< of the weights
  std::optional<int> zero_stage;
  std::optional<Overlap> overlap;
  bool overlap_is_usual = true;  ///< the framework does so by default
  std::optional<Gradients> gradients;
  std::optional<Software::Kind> software;  ///< for which the memory was computed
  std::optional<Passes> eager_passes;      ///< of the model's layers kernel by kernel, if they were counted
  /// Other parameters of the step by name; numbers and booleans as text.
  std::map<std::string, std::string> parameters;
  std::vector<MemoryPart> memory;  ///< of a rank, with this number of ranks; empty if unknown
  std::vector<std::string> streams{"comp"};
  std::vector<Group> groups{Group{}};
  std::vector<Channel> channels{Channel{}};
  std::vector<Event> events;

  const Group& group_of(const Event& event) const { return groups[static_cast<std::size_t>(event.group)]; }

  bool operator==(const StepTrace&) const = default;
};

/// Throws BadUsage if a group's width does not divide the ranks.
void check_groups(const StepTrace& trace, int ranks);

/// The operation on a communicator of `group_ranks` ranks; elements are rounded up to a multiple that they can share.
/// A message is a broadcast among two ranks.
Operation operation_of(const Event& event, int group_ranks);

/// Minimum bytes that a rank sends, by nccl-tests' convention: S times the factor of bus bandwidth. A message counts in
/// full, on the rank that sends it.
double wire_bytes(const Event& event, int group_ranks);

}  // namespace ringmark::replay

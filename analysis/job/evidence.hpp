// Records of a job's ranks and observers in a common form: each reader adds to it, and the diagnosis reads nothing
// else.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::analysis::job {

/// A file with a larger rank is damaged.
constexpr int most_ranks = 1 << 20;

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

enum class SourceKind { flight_recorder, watchdog, ras, inspector, nccl_profiler };
/// "Flight Recorder dump"
std::string_view name(SourceKind kind);

struct Source {
  std::string file;
  SourceKind kind = SourceKind::flight_recorder;
  std::string version;
  std::optional<Time> taken{};  ///< when it was written
};

struct Communicator {
  std::string id;           ///< PyTorch's group name, or NCCL's hash: "0", "0x7f8c496ae9f661"
  std::string description;  ///< "default_pg"; empty if it has none
  int size = 0;             ///< 0: unknown
  std::set<int> members{};  ///< empty: unknown
  /// True if its ranks are those of the job; false if they are numbered within the communicator.
  bool has_job_ranks = false;
};

enum class CallState { scheduled, started, completed };

/// A collective, or several that were launched as one.
struct Call {
  std::uint64_t sequence = 0;
  std::string operation;  ///< "all_reduce"
  std::string shape{};    ///< sizes and types, to compare between ranks; empty if unknown
  CallState state = CallState::scheduled;
  std::optional<Time> created{};
  /// When a watchdog ended it, as its log prints the time, which has no year.
  std::string ended_at{};
  std::optional<std::chrono::milliseconds> ran{};
};

/// A message that a rank waits for.
struct PendingMessage {
  std::string operation;  ///< "recv"
  int peer = 0;
  std::optional<Time> created{};
};

/// One rank's calls on one communicator, by one source.
struct RankCalls {
  std::size_t source = 0, communicator = 0;
  int rank = 0;
  std::string host{};                   ///< empty: unknown
  std::map<std::uint64_t, Call> calls;  ///< by sequence
  std::vector<PendingMessage> messages{};
  std::optional<std::uint64_t> last_entered{};  ///< includes calls that the ring buffer has dropped
};

/// A completed collective with its time.
struct TimedCall {
  std::size_t source = 0, communicator = 0;
  int rank = 0;
  std::string host;
  std::string operation;
  std::uint64_t sequence = 0, size_bytes = 0;
  double time_us = 0, busbw_GBps = 0;
};

struct RankName {
  int rank = 0;
  std::string host;  ///< empty: unknown
};

enum class Liveness { unresponsive, dead, not_a_member, error };
/// "does not answer"
std::string_view name(Liveness liveness);

/// An observer's report of an unhealthy rank.
struct Statement {
  std::size_t source = 0;
  std::optional<std::size_t> communicator{};
  std::optional<RankName> rank{};  ///< nothing: only a process is known
  Liveness liveness = Liveness::unresponsive;
  std::string process{};  ///< "process 3487984 on node 172.16.64.213"; empty if the rank is known
  std::string detail{};   ///< of an error
};

/// Ranks of a communicator that launched the same number of operations of a kind.
struct CountGroup {
  std::uint64_t count = 0;
  int ranks = 0;
  std::vector<RankName> listed{};  ///< may be fewer than `ranks`
};
struct CountDifference {
  std::size_t source = 0, communicator = 0;
  std::string operation;
  std::vector<CountGroup> groups{};  ///< the largest count first
};

/// An observer's summary of communicators that are alike.
struct CommunicatorStatus {
  std::size_t source = 0;
  int communicators = 1, ranks = 0;  ///< ranks of each
  std::string status;                ///< "RUNNING"
  bool is_ok = true;
};

struct Evidence {
  std::vector<Source> sources{};
  std::vector<Communicator> communicators{};
  std::vector<RankCalls> calls{};
  std::vector<TimedCall> timed{};
  std::vector<Statement> statements{};
  std::vector<CountDifference> counts{};
  std::vector<CommunicatorStatus> statuses{};
  std::set<int> dumped{};            ///< the job's ranks that left a dump, even a damaged one
  int least_ranks = 0;               ///< the job has at least this many
  std::vector<std::string> hosts{};  ///< of the job's ranks; empty: unknown
  std::vector<std::string> notes{};  ///< files that were left out, with the reason

  /// Appends what another source recorded.
  void add(Evidence part);
  /// The index of a communicator, which is added if it is new.
  std::size_t communicator(const std::string& id, const std::string& description, bool has_job_ranks);
  RankCalls& calls_of(std::size_t source, std::size_t communicator, int rank);
  /// The host of a rank of a communicator, by any source; empty if unknown.
  std::string host_of(std::size_t communicator, int rank) const;
};

/// "group 0 (default_pg)", "communicator 0x7f8c496ae9f661"
std::string name(const Communicator& communicator);
/// The operation as Ringmark spells it, whatever a source calls it: "nccl:_all_gather_base", "ALLREDUCE".
std::string operation_named(std::string_view spelling);

}  // namespace ringmark::analysis::job

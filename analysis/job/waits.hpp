// Which ranks wait in which calls, and for whom.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/job/evidence.hpp"

namespace ringmark::analysis::job {

/// One rank's calls on a communicator, from all sources.
struct RankView {
  std::map<std::uint64_t, Call> calls;
  std::vector<PendingMessage> messages;
  std::uint64_t entered = 0;  ///< the last sequence that it entered; 0: none
  bool has_shapes = false;    ///< of a source whose shapes can be compared
  std::optional<Time> taken;  ///< when its source was written

  /// The first call that it entered and that has not ended; null if there is none.
  const Call* pending() const;
  const Call* last() const { return calls.empty() ? nullptr : &calls.rbegin()->second; }
};

struct GroupView {
  std::size_t communicator = 0;
  std::set<int> members;  ///< known ones
  std::map<int, RankView> ranks;
};

/// A rank that waits in a call, or for a message.
struct Wait {
  int rank = 0;
  std::size_t communicator = 0;
  std::string operation{};
  std::uint64_t sequence = 0;  ///< 0: a message
  CallState state = CallState::scheduled;
  std::optional<Time> since{};
  std::optional<std::chrono::milliseconds> ran{};
  std::string ended_at{};
  std::set<int> for_ranks{};  ///< those that have not entered it; empty: none is known
};

/// Communicators whose ranks are numbered alike: all with the job's ranks, or one with its own.
struct Domain {
  bool has_job_ranks = false;
  std::vector<GroupView> groups;
};

struct WaitOptions {
  int ranks = 0;  ///< of the job; 0: as the sources show
  /// A shorter wait is normal. The length of a wait is known only if it is known when its sources were written.
  std::chrono::milliseconds least{1000};
};

std::vector<Domain> domains_of(const Evidence& evidence, const WaitOptions& options);
std::vector<Wait> waits_of(const Domain& domain, const WaitOptions& options);
/// The job's ranks, as far as the sources show them.
int job_ranks(const Evidence& evidence, const WaitOptions& options);

}  // namespace ringmark::analysis::job

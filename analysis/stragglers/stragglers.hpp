// The rank, host or link that the others wait for.
//
// Two kinds of evidence. Samples: an operation can end only after the last rank has begun it, so a rank that enters
// late again and again makes all others wait; in a replayed step, a rank that computes longer is late for its
// collectives. Link matrices: a host whose links are slow to and from everyone, or one slow link. A straggler is named
// if it is both repeatable (its p, corrected for all candidates, is below the level) and large enough to matter.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"

namespace ringmark::analysis {

/// A row of samples/1.
struct EntryTimes {
  std::string run_id;
  std::vector<std::string> hosts;  ///< of each rank; empty if unknown
  bool is_step = false;            ///< each iteration is a training step
  double time_us = 0;              ///< the median iteration's
  double clock_error_us = 0;
  /// [rank][iteration]: when the rank entered, from any common origin. For a step: how much longer than the median rank
  /// it computed, at most as much as it was late for the step's collectives.
  std::vector<std::vector<double>> entry_us;
};

struct Straggler {
  enum class Kind { rank, host, link } kind;
  std::string name;      ///< "rank 2 on c", "host 2", "link 1 -> 3"
  double cost_percent;   ///< how much longer operations or steps take because of it
  double p;              ///< the p-value, corrected for all candidates
  std::string evidence;  ///< in words
  /// The host, or the link's source and destination, as indices of the names; empty for a rank.
  std::vector<std::size_t> ends{};
};

struct StragglerOptions {
  double level = 0.01;
  double least_cost_percent = 5;
  double least_time_us = 1000;  ///< shorter operations are ignored
};

/// The ranks that enter late. Iterations count in blocks, so that one long disturbance counts once.
std::vector<Straggler> late_ranks(const std::vector<EntryTimes>& operations, const StragglerOptions& options = {});

/// If too little was measured to name any rank, however late, the reason; empty otherwise.
std::string too_few_to_tell(const std::vector<EntryTimes>& operations, const StragglerOptions& options = {});

/// Bandwidths or latencies of all pairs, [from][to]; cells that were not measured are NaN.
using LinkMatrix = std::vector<std::vector<double>>;
std::vector<Straggler> slow_links(const std::vector<LinkMatrix>& launches, const std::vector<std::string>& names,
                                  const StragglerOptions& options = {});

/// The operations of a samples/1 file that were timed one by one. Throws BadUsage with file and line.
std::vector<EntryTimes> read_entry_times(const std::string& file);

/// Bandwidths in GB/s at the largest size, or latencies in microseconds at the smallest: matrices launch by launch, and
/// the ranks' names.
struct Links {
  std::vector<LinkMatrix> launches;
  std::vector<std::string> names;
  std::uint64_t size_bytes = 0;
  LinkTest test = LinkTest::bandwidth;
};
Links links_of(const Table& table, const std::vector<std::size_t>& rows, LinkTest test = LinkTest::bandwidth);

/// If too little was measured to name any host, however slow its links, the reason; empty otherwise.
std::string too_few_to_tell(const Links& links, const StragglerOptions& options = {});

/// The kinds of evidence that were available.
struct LookedAt {
  bool entries = false, links = false;
};
/// States that no straggler was found, in terms of the evidence that was available.
std::string none_found(const LookedAt& looked_at);
/// Why a straggler may have gone unseen: entry times of ranks cannot show a slow link. Empty if links were measured.
std::string blind_spot(const LookedAt& looked_at);

std::string print(const std::vector<Straggler>& stragglers, const LookedAt& looked_at);
/// An array of JSON objects, straggler/1.
std::string to_json(const std::vector<Straggler>& stragglers);

}  // namespace ringmark::analysis

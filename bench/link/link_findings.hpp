// Finds slow ranks and slow links in the measurements of a run.
//
// A link is judged by its fastest sample: load on a host slows some samples, a slow link slows all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// Minimum values for a rank or link to be slow, explained in docs/method/links.md.
struct LinkLimits {
  double least_ratio_of_rank;  ///< median time of a rank's links over that of the others
  double least_ratio_of_link;  ///< a link's time over the typical time
  double least_extra_us = 0;   ///< a link's time minus the typical time
};
/// If ranks share cores, a latency below a scheduler time slice is meaningless.
LinkLimits limits_of(LinkTest test, bool ranks_share_cores);

/// False for a message size whose rate is less than half of the best rate of any size: the processor takes most of the
/// time.
bool is_limited_by_link(std::uint64_t size_bytes, double time_us, double best_GBps);

struct SlowLink {
  int source, destination;
  double time_us;
  double ratio;  ///< relative to the typical time
};

struct SlowRank {
  int rank;
  double ratio;
  std::optional<double>
      p;  ///< of the test; empty if there are too few links for one, and this is the common end of all slow links
};

/// The links of one test and size that were compared with each other.
struct LinkFindings {
  LinkTest test = LinkTest::latency;
  std::uint64_t size_bytes = 0;
  double typical_us = 0;
  std::vector<SlowRank> ranks;  ///< the worst first
  std::vector<SlowLink> links;  ///< the worst first, except links of ranks that the test found

  bool are_none() const { return ranks.empty() && links.empty(); }
  bool is_slow(int source, int destination) const;
};

/// Findings for each test and size with more than one pair. Judges links between hosts or, if there are none, those
/// within a host. Sizes limited by the processor have no slow links.
std::vector<LinkFindings> judge_links(const std::vector<Record>& records, int ranks, bool ranks_share_cores);

/// The most important finding in one line, then up to five more. `hosts` has the host of each rank.
std::string in_words(const std::vector<LinkFindings>& findings, const std::vector<std::string>& hosts);

}  // namespace ringmark

// The rank or link that explains slow links, from the measurements of a run.
//
// A link is judged by its fastest sample: load on a host slows some samples, a slow link slows all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// The thresholds, explained in docs/method/links.md.
struct LinkLimits {
  double least_ratio_of_rank;  ///< median time of a rank's links over that of the others
  double least_ratio_of_link;  ///< a link's time over the typical time
  double least_extra_us = 0;   ///< that a link takes longer than typical
};
/// If ranks share cores, a latency below a scheduler time slice is meaningless.
LinkLimits limits_of(LinkTest test, bool ranks_share_cores);

/// False for messages of a stream with less than half of the best rate of any size: such a time is mostly the
/// processor's.
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
      p;  ///< empty if there are too few links for a test and every slow link just has this rank as an end
};

/// The links of one test and size that were compared with each other.
struct LinkFindings {
  LinkTest test = LinkTest::latency;
  std::uint64_t size_bytes = 0;
  double typical_us = 0;
  std::vector<SlowRank> ranks;  ///< the worst first
  std::vector<SlowLink> links;  ///< slow on their own, worst first; without those of a rank identified by p

  bool are_none() const { return ranks.empty() && links.empty(); }
  bool is_slow(int source, int destination) const;
};

/// For each test and size with more than one pair. Judges links between hosts, or if there are none, those within a
/// host. Sizes limited by the processor have no slow links.
std::vector<LinkFindings> judge_links(const std::vector<Record>& records, int ranks, bool ranks_share_cores);

/// The answer in one line, then at most five lines of findings. `hosts` names the ranks.
std::string in_words(const std::vector<LinkFindings>& findings, const std::vector<std::string>& hosts);

}  // namespace ringmark

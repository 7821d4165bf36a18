// The rank or link that explains slow links, from the measurements of a run.
//
// A link is judged by its fastest sample: load on a host makes some samples slow, a slow link makes all of them slow.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// The thresholds, which docs/method/links.md explains.
struct LinkLimits {
  double least_ratio_of_rank;  ///< of the median time of a rank's links over that of the others
  double least_ratio_of_link;  ///< of a link's time over the typical one
  double least_extra_us = 0;   ///< that a link takes beyond the typical time
};
/// Where ranks share cores, a latency below a time slice of the scheduler says nothing.
LinkLimits limits_of(LinkTest test, bool ranks_share_cores);

/// False for messages of a stream that carry less than half of the best rate of any size: such a time is mostly the
/// processor's.
bool is_limited_by_link(std::uint64_t size_bytes, double time_us, double best_GBps);

struct SlowLink {
  int source, destination;
  double time_us;
  double ratio;  ///< to the typical time
};

struct SlowRank {
  int rank;
  double ratio;
  std::optional<double> p;  ///< nothing where the links are too few for a test: each slow link has this rank as an end
};

/// The links of one test and size that were compared with one another.
struct LinkFindings {
  LinkTest test = LinkTest::latency;
  std::uint64_t size_bytes = 0;
  double typical_us = 0;
  std::vector<SlowRank> ranks;  ///< the worst first
  std::vector<SlowLink> links;  ///< slow by themselves, the worst first; without those of a rank that p names

  bool are_none() const { return ranks.empty() && links.empty(); }
  bool is_slow(int source, int destination) const;
};

/// For each test and size with more than one pair. Links between hosts are judged, or where there are none those
/// within one host. Sizes that the processor limits have no slow links.
std::vector<LinkFindings> judge_links(const std::vector<Record>& records, int ranks, bool ranks_share_cores);

/// The answer in a line, then at most five lines of findings. `hosts` names the ranks.
std::string in_words(const std::vector<LinkFindings>& findings, const std::vector<std::string>& hosts);

}  // namespace ringmark

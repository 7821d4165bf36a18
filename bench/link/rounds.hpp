// Which links are measured concurrently.
#pragma once

#include <string>
#include <vector>

#include "bench/flags/pairs.hpp"
#include "results/schema/record.hpp"

namespace ringmark {

/// Links that are measured concurrently. No two share a rank, except that several may have the same destination; these
/// are consecutive.
using LinkStep = std::vector<LinkEnds>;

/// The links of each round, with every pair in one direction only. All ranks compute the same result.
std::vector<LinkStep> plan_rounds(const PairChoice& pairs, int ranks);

/// The links of a step that lead to the same destination: usually a single one.
std::vector<LinkStep> by_destination(const LinkStep& step);
int count_senders(const LinkStep& step, int destination);

/// True if each block of that many consecutive ranks has its own host. `hosts` has the host of each rank.
bool are_rails(const std::vector<std::string>& hosts, int rails);

/// Steps in which each way out is an end of at most one link, so that pairs share nothing within their hosts.
/// `ways_out` is by rank, "host interface". A step has at most `most` links. Links between leaves share no leaf with
/// other links of their step; `leaf_of` is by rank, or empty if they may. Links to the same destination count as one,
/// since they have to share it. Each pair occurs in both directions, in different steps, unless it is the only pair or
/// part of an incast.
std::vector<LinkStep> steps_of(const PairChoice& pairs, const std::vector<std::string>& ways_out, std::size_t most,
                               const std::vector<int>& leaf_of = {});

}  // namespace ringmark

// Which links are measured at the same time.
#pragma once

#include <string>
#include <vector>

#include "bench/flags/pairs.hpp"
#include "results/record.hpp"

namespace ringmark {

/// Links that are measured at the same time. No two have a rank in common, unless several lead to one: these follow one
/// another.
using LinkStep = std::vector<LinkEnds>;

/// Round by round; every pair of a round once. All ranks compute the same.
std::vector<LinkStep> plan_rounds(const PairChoice& pairs, int ranks);

/// The links of a step that lead to one destination: mostly one by itself.
std::vector<LinkStep> by_destination(const LinkStep& step);
int count_senders(const LinkStep& step, int destination);

/// True if each so many consecutive ranks are on a host of their own. `hosts` has the host of each rank.
bool are_rails(const std::vector<std::string>& hosts, int rails);

/// Steps in which each way out is an end of at most one link, so that pairs share nothing within their hosts:
/// `ways_out` by rank, "host interface". At most `most` links are in a step. Links between leaves share no leaf with
/// others of their step; `leaf_of` is by rank, or empty if they may. Links to one destination are as one: they share
/// what they must. Each pair comes both ways, in different steps, unless it is the only one or part of an incast.
std::vector<LinkStep> steps_of(const PairChoice& pairs, const std::vector<std::string>& ways_out, std::size_t most,
                               const std::vector<int>& leaf_of = {});

}  // namespace ringmark

// The bytes that each group of a mix sends over each link.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/control.hpp"
#include "bench/mix/fair_share.hpp"
#include "bench/mix/mix_groups.hpp"

namespace ringmark::mix {

/// Bytes that this rank sends in one operation of a group to the peers for which `crosses` is true; peers are given by
/// their number in the group. 0 for a rank outside the group; empty if its library does not report them.
using SentBytes =
    std::function<std::optional<std::uint64_t>(std::size_t group, const std::function<bool(int)>& crosses)>;

/// Bytes of one operation of each group: [group][2 * link], [2 * link + 1] up and down the link. All ranks call it and
/// get the same result. Empty without links, or if a rank's bytes are unknown.
std::optional<std::vector<std::vector<double>>> bytes_on_links(Control& control, const std::vector<CutLink>& links,
                                                               const std::vector<std::string>& hosts,
                                                               const std::vector<MixGroup>& groups,
                                                               const SentBytes& sent_bytes);

}  // namespace ringmark::mix

// The hosts of a row's ranks as short text, in rank order: "node[01-04]*2,login" stands for nine ranks, two on each of
// the first four hosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// `hosts` has the host of each rank.
std::string rank_hosts_text(const std::vector<std::string>& hosts);

/// "rank 2 on node7".
std::string on_host(int rank, const std::vector<std::string>& hosts);

/// Returns the host of each rank. Throws BadUsage for text of another form.
std::vector<std::string> parse_rank_hosts(std::string_view text);

}  // namespace ringmark

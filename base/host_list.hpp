// Lists of hosts as Slurm writes them: "node[01-04,07],gpu-[1-2]-ib".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// The names in their order. Brackets hold numbers and ranges; a range keeps the width of its first number. Plain names
/// between commas stand for themselves. Throws BadUsage for brackets without an end, ranges that fall, and lists of
/// more than 100,000 hosts.
std::vector<std::string> expand_host_list(std::string_view list);

/// A short list that expands to the names, in their order. Names that a list cannot hold, as those with commas, stand
/// as they are.
std::string fold_host_list(const std::vector<std::string>& hosts);

/// True for names of one host, of which one may have its domain: node1, node1.cluster. Addresses are compared whole.
bool is_same_host(std::string_view one, std::string_view other);

}  // namespace ringmark

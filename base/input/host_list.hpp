// Lists of hosts as Slurm writes them: "node[01-04,07],gpu-[1-2]-ib".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// The names in order. Brackets contain numbers and ranges; a range is padded with zeros to the width of its first
/// number. Names without brackets are kept as they are. Throws BadUsage for unclosed brackets, descending ranges, and
/// lists of more than 100,000 hosts.
std::vector<std::string> expand_host_list(std::string_view list);

/// A short list that expands to the names, in order. Names that the notation cannot express, such as those with commas,
/// are kept as they are.
std::string fold_host_list(const std::vector<std::string>& hosts);

/// True for two names of one host, where one may include the domain: node1, node1.cluster. Addresses must be equal.
bool is_same_host(std::string_view one, std::string_view other);

}  // namespace ringmark

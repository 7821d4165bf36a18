// A relay's answer in an exchange: the bytes of all ranks. Neighbours that say the same share one copy, so that the
// message is short where all ranks agree, or all ranks of a host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// `parts` has the bytes of each rank.
std::string encode_contributions(const std::vector<std::string>& parts);

/// The bytes of each rank. Throws TransportError, with the name of the sender, if the bytes are no such message of
/// `ranks` ranks.
std::vector<std::string> decode_contributions(std::string_view bytes, int ranks, std::string_view sender);

}  // namespace ringmark

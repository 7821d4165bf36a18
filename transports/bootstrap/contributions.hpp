// A relay's answer in an exchange: the bytes of all ranks. Neighbouring ranks with the same bytes share one copy, so
// the message is short if all ranks, or all ranks of a host, agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// `parts` has the bytes of each rank.
std::string encode_contributions(const std::vector<std::string>& parts);

/// The bytes of each rank. Throws TransportError, naming the sender, if the bytes are not such a message for `ranks`
/// ranks.
std::vector<std::string> decode_contributions(std::string_view bytes, int ranks, std::string_view sender);

}  // namespace ringmark

// The verdict for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "accept/ladder.hpp"

namespace ringmark::accept {

/// "links  FAIL  12 links of 0.06 GB/s, 4 rounds", then at most five lines of findings and two of what is left.
std::string in_words(const RungResult& result);
/// The verdict in a line.
std::string in_words(const LadderResult& result);
/// Schema accept/1.
std::string as_json(const Criteria& criteria, const LadderResult& result);
/// The hosts to take out of service, in order.
std::vector<std::string> drain_list(const LadderResult& result);

}  // namespace ringmark::accept

// The messages of two ranks alternate over several connections: message k (from 0) travels on connection k modulo the
// number of connections.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ringmark {

/// Number of leading messages that are complete, if done(i) messages are complete on connection i. 0 without
/// connections.
template <class Done>
std::uint64_t leading_messages(std::size_t connections, Done done) {
  std::uint64_t least = connections == 0 ? 0 : UINT64_MAX;
  for (std::size_t i = 0; i < connections; ++i) least = std::min(least, done(i) * connections + i);
  return least;
}

}  // namespace ringmark

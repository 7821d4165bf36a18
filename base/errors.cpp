#include "base/errors.hpp"

#include <fmt/format.h>

namespace ringmark {

PeerLost::PeerLost(int rank, const std::string& host, const std::string& reason)
    : TransportError(fmt::format("lost rank {} on {}: {}", rank, host, reason)), rank_(rank), reason_(reason) {}

}  // namespace ringmark

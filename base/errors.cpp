#include "base/errors.hpp"

#include <fmt/format.h>

namespace ringmark {

PeerLost::PeerLost(int rank, const std::string& host, const std::string& reason)
    : TransportError(fmt::format("lost rank {} on {}: {}", rank, host, reason)), rank_(rank), reason_(reason) {}

BadUsage::BadUsage(const std::string& text) : BadUsage(Problem{.text = text}) {}

BadUsage::BadUsage(Problem problem) : BadUsage(std::vector{std::move(problem)}) {}

BadUsage::BadUsage(std::vector<Problem> problems)
    : std::runtime_error(to_text(problems)), problems_(std::move(problems)) {}

}  // namespace ringmark

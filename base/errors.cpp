#include "base/errors.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace ringmark {

LinkLost::LinkLost(const std::string& host, const std::string& other_host, const std::string& reason)
    : RunLost(fmt::format("lost the link {} to {}: {}", host, other_host, reason)) {}

PeerLost::PeerLost(int rank, const std::string& host, const std::string& reason)
    : RunLost(in_words(LostRank{rank, host, reason})), lost_{rank, host, reason} {}

BadUsage::BadUsage(const std::string& text) : BadUsage(Problem{.text = text}) {}

BadUsage::BadUsage(Problem problem) : BadUsage(std::vector{std::move(problem)}) {}

BadUsage::BadUsage(std::vector<Problem> problems)
    : std::runtime_error(as_message(to_text(problems))), problems_(std::move(problems)) {}

}  // namespace ringmark

#include "transports/fabric/tcp/host_probe.hpp"

#include <exception>

namespace ringmark {
namespace {

constexpr auto between_attempts = std::chrono::milliseconds(100);

}  // namespace

bool HostProbe::advance() {
  if (next_attempt_.passed()) {
    next_attempt_ = Deadline::after(between_attempts);
    try {
      attempts_.push_back(connect_());
    } catch (const std::exception&) {
      // This host itself cannot connect.
    }
  }
  bool is_answered = false;
  std::erase_if(attempts_, [&](ConnectionAttempt& attempt) {
    bool is_over = false;
    try {
      is_over = attempt.advance().has_value();
    } catch (const std::exception&) {
      is_over = true;
    }
    is_answered |= attempt.was_answered();
    return is_over;
  });
  return is_answered;
}

void HostProbe::append_poll(std::vector<pollfd>& polled) const {
  for (const auto& attempt : attempts_) polled.push_back(attempt.polled());
}

}  // namespace ringmark

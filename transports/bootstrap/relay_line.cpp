#include "transports/bootstrap/relay_line.hpp"

#include <system_error>

#include <poll.h>

#include "transports/bootstrap/meeting_messages.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/exchange.hpp"

namespace ringmark {

const std::optional<Loss>& RelayLine::look() {
  pollfd readable{fd(), POLLIN, 0};
  if (::poll(&readable, 1, 0) > 0) receive(Deadline::after(std::chrono::seconds(1)));
  return loss_;
}

void RelayLine::spread(const Loss& loss) {
  if (!at_end_ || loss_ || ended_) return;
  loss_ = loss;
  try {
    send_message(fd_, MessageKind::lost, encode(loss_message, loss));
  } catch (const std::system_error&) {
    // The relay has exited too.
  }
}

std::optional<std::string> RelayLine::ask(std::string_view mine, Deadline deadline) {
  if (look()) return std::nullopt;
  try {
    send_message(fd_, MessageKind::contribution, mine);
  } catch (const std::system_error&) {
    // The relay has exited; it may have sent the reason first.
    if (!at_end_) throw;
  }
  return receive(deadline);
}

std::optional<std::string> RelayLine::receive(Deadline deadline) {
  auto message = receive_message(fd_, deadline);
  if (!message) {
    if (at_end_ && !deadline.passed()) loss_ = at_end_;
    ended_ = true;
    return std::nullopt;
  }
  if (message->kind == MessageKind::refused)
    throw_refusal(decode<MeetingRefusal>(MeetingRefusal::exchange, message->bytes, relay_));
  if (message->kind != MessageKind::lost) return std::move(message->bytes);
  loss_ = decode<Loss>(loss_message, message->bytes, relay_);
  return std::nullopt;
}

}  // namespace ringmark

#include "transports/bootstrap/members_watch.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>

#include "base/system/check.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/relay_line.hpp"
#include "transports/exchange.hpp"

namespace ringmark {

MembersWatch::MembersWatch(std::span<const FileDescriptor> connections, std::function<void(const Loss&)> tell)
    : connections_(connections),
      epoll_(check_sys(::epoll_create1(EPOLL_CLOEXEC), "create an epoll instance")),
      tell_(std::move(tell)) {
  for (std::size_t rank = 1; rank < connections.size(); ++rank) {
    epoll_event event{};
    event.events = EPOLLRDHUP;
    event.data.u64 = rank;
    check_sys(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connections[rank].get(), &event), "watch rank {}", rank);
  }
}

const std::optional<Loss>& MembersWatch::look() {
  epoll_event event{};
  if (!loss_ && ::epoll_wait(epoll_.get(), &event, 1, 0) > 0) spread(cause_of_end(event.data.u64));
  return loss_;
}

void MembersWatch::spread(const Loss& loss) {
  if (loss_) return;
  loss_ = loss;
  tell_(loss);
}

Loss MembersWatch::cause_of_end(std::size_t rank) const {
  while (const auto message = receive_message(connections_[rank].get(), Deadline::now())) {
    if (message->kind == MessageKind::lost)
      return decode<Loss>(loss_message, message->bytes, fmt::format("rank {}", rank));
  }
  return {static_cast<int>(rank), "it exited"};
}

}  // namespace ringmark

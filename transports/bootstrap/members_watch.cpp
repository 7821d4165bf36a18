#include "transports/bootstrap/members_watch.hpp"

#include <sys/epoll.h>

#include "base/system/check.hpp"

namespace ringmark {

MembersWatch::MembersWatch(const std::vector<FileDescriptor>& connections, std::function<void(const Loss&)> tell)
    : epoll_(check_sys(::epoll_create1(EPOLL_CLOEXEC), "create an epoll instance")), tell_(std::move(tell)) {
  for (std::size_t rank = 1; rank < connections.size(); ++rank) {
    epoll_event event{};
    event.events = EPOLLRDHUP;
    event.data.u64 = rank;
    check_sys(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connections[rank].get(), &event), "watch rank {}", rank);
  }
}

const std::optional<Loss>& MembersWatch::look() {
  epoll_event event{};
  if (!loss_ && ::epoll_wait(epoll_.get(), &event, 1, 0) > 0) {
    loss_ = Loss{static_cast<int>(event.data.u64), "it ended"};
    tell_(*loss_);
  }
  return loss_;
}

}  // namespace ringmark

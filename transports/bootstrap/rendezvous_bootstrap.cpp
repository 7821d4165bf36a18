#include "transports/bootstrap/rendezvous_bootstrap.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/text/duration_text.hpp"
#include "transports/bootstrap/contributions.hpp"
#include "transports/bootstrap/host_identity.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/meeting_messages.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// How much longer than rank 0 the other ranks wait, so that it can report which ranks are missing.
constexpr auto grace = std::chrono::seconds(5);
/// How long a failed rank 0 waits for the others to exit: longer than they need to inform each other of a loss.
constexpr auto farewell = std::chrono::seconds(2);

std::vector<FileDescriptor> meet(const Rendezvous& place, const std::string& secret,
                                 std::chrono::milliseconds timeout) {
  if (place.rank == 0) return host_meeting(place, secret, timeout);
  std::vector<FileDescriptor> connections;
  connections.push_back(join_meeting(place, secret, timeout));
  return connections;
}

}  // namespace

RendezvousBootstrap::RendezvousBootstrap(Rendezvous place, std::string secret, std::chrono::milliseconds timeout)
    : place_(std::move(place)),
      secret_(std::move(secret)),
      timeout_(timeout),
      connections_(meet(place_, secret_, timeout)) {
  if (place_.rank == 0) {
    members_ = std::make_shared<MembersWatch>(connections_, [this](const Loss& loss) { tell_others(loss); });
  } else {
    rank_0_ = std::make_shared<RelayLine>(connections_.front().get(), "rank 0", Loss{0, "it exited"});
  }
  hosts_ = distinct_names(exchange(*this, "host", this_host()));
}

std::string RendezvousBootstrap::description() const {
  return fmt::format("{}, ranks met at {} port {}{}{}", place_.launcher, place_.host, place_.port,
                     place_.ports > 1 ? fmt::format(" to {}", place_.port + place_.ports - 1) : "",
                     secret_.empty() ? " without a secret (RINGMARK_TOKEN is not set)" : " with a secret");
}

std::vector<std::string> RendezvousBootstrap::all_gather(std::string_view mine) {
  return place_.rank == 0 ? relay(mine) : contribute(mine);
}

std::vector<std::string> RendezvousBootstrap::relay(std::string_view mine) {
  if (const auto& loss = members_->look()) lose(*loss);
  std::vector<std::string> parts(connections_.size());
  parts[0] = mine;
  const FileDescriptor epoll(check_sys(::epoll_create1(EPOLL_CLOEXEC), "create an epoll instance"));
  std::set<int> waiting;
  for (int rank = 1; rank < place_.ranks; ++rank) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = rank;
    check_sys(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, connection(rank), &event), "wait for rank {}", rank);
    waiting.insert(rank);
  }
  WaitingNote note;
  for (const auto deadline = Deadline::after(timeout_); !waiting.empty();) {
    if (deadline.passed()) lose({*waiting.begin(), fmt::format("it did not answer within {}", as_timeout(timeout_))});
    constexpr int most_events = 64;
    epoll_event events[most_events];
    note.say_if_due([&] { return in_words(late(waiting), place_.ranks); });
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.left(note.left())).count();
    const int count = ::epoll_wait(epoll.get(), events, most_events, static_cast<int>(left));
    for (int i = 0; i < count; ++i) {
      const int rank = events[i].data.fd;
      const int fd = connection(rank);
      auto message = receive_message(fd, deadline);
      if (!message) lose({rank, "it exited"});
      if (message->kind == MessageKind::lost)
        lose(decode<Loss>(loss_message, message->bytes, fmt::format("rank {}", rank)));
      parts[static_cast<std::size_t>(rank)] = std::move(message->bytes);
      waiting.erase(rank);
      // Its next message belongs to the next exchange.
      check_sys(::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, fd, nullptr), "stop watching rank {}", rank);
    }
  }
  const auto everything = encode_contributions(parts);
  for (int rank = 1; rank < place_.ranks; ++rank) {
    try {
      send_message(connection(rank), MessageKind::everything, everything);
    } catch (const std::system_error&) {
      lose({rank, "it exited"});
    }
  }
  return parts;
}

std::vector<std::string> RendezvousBootstrap::contribute(std::string_view mine) {
  const auto answer = rank_0_->ask(mine, Deadline::after(timeout_ + grace));
  if (answer) return decode_contributions(*answer, place_.ranks, "rank 0");
  if (const auto& loss = rank_0_->look()) throw_lost(*loss);
  throw_lost({0, fmt::format("it did not answer within {}", as_timeout(timeout_))});
}

std::shared_ptr<LossNews> RendezvousBootstrap::news() {
  if (place_.rank == 0) return members_;
  return rank_0_;
}

/// On rank 0: reports the loss to all other ranks, then throws it.
void RendezvousBootstrap::lose(const Loss& loss) const {
  members_->spread(loss);
  throw_lost(loss);
}

void RendezvousBootstrap::throw_lost(const Loss& loss) const {
  throw_loss(loss, [this](int rank) { return host_of(rank); });
}

void RendezvousBootstrap::tell_others(const Loss& loss) const {
  const auto bytes = encode(loss_message, loss);
  for (int rank = 1; rank < place_.ranks; ++rank) {
    if (rank == loss.rank && loss.link_to == Loss::no_rank) continue;
    try {
      send_message(connection(rank), MessageKind::lost, bytes);
    } catch (const std::system_error&) {
      continue;  // has exited too
    }
  }
}

std::vector<LateRank> RendezvousBootstrap::late(const std::set<int>& ranks) const {
  std::vector<LateRank> all;
  for (const int rank : ranks) all.push_back({rank, hosts_.empty() ? "" : hosts_[static_cast<std::size_t>(rank)]});
  return all;
}

std::string RendezvousBootstrap::host_of(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  return at < hosts_.size() ? hosts_[at] : place_.host;
}

void RendezvousBootstrap::finish(int status) {
  if (place_.rank != 0) {
    if (status != exit_failed) send_message(connections_.front().get(), MessageKind::finished, "");
    return;
  }
  // The others wait for a failed rank 0, so announce its end before waiting for theirs.
  for (int rank = 1; rank < place_.ranks && status == exit_failed; ++rank) ::shutdown(connection(rank), SHUT_WR);
  // Closing a connection with unread bytes would discard rank 0's last message at the other end.
  const auto deadline = Deadline::after(status == exit_failed ? farewell : grace);
  for (int rank = 1; rank < place_.ranks; ++rank) {
    auto message = receive_message(connection(rank), deadline);
    while (message && message->kind != MessageKind::finished) message = receive_message(connection(rank), deadline);
  }
}

}  // namespace ringmark

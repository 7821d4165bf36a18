#include <algorithm>
#include <cstring>
#include <list>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <poll.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/host.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/meeting_messages.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/socket_address.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr auto stranger_patience = std::chrono::seconds(5);
constexpr std::size_t most_strangers = 1024;
constexpr int most_refusals_shown = 5;

/// A connection whose other end has proven nothing yet.
struct Stranger {
  FileDescriptor fd;
  std::string from;
  Nonce nonce;
  Deadline deadline;
  std::string bytes;
};

struct Member {
  FileDescriptor fd;
  std::string host;
};

/// A listening socket at the address, or nothing, with errno set.
FileDescriptor listen_at(const SocketAddress& address) {
  FileDescriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return {};
  const int on = 1, off = 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family() == AF_INET6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd.get(), address.get(), address.length) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) return {};
  return fd;
}

class Host {
 public:
  Host(const Rendezvous& place, const std::string& secret, std::chrono::milliseconds timeout)
      : place_(place),
        secret_(secret),
        timeout_(timeout),
        deadline_(Deadline::after(timeout)),
        members_(static_cast<std::size_t>(place.ranks)) {
    members_[0].host = host_name();
  }

  std::vector<FileDescriptor> meet() {
    if (place_.ranks > 1) listen();
    while (missing_ > 0) {
      if (deadline_.passed()) fail({false, absent()});
      wait();
      look_after_members();
      strangers_.remove_if([this](Stranger& stranger) { return !hear(stranger); });
      accept_all();
    }
    std::vector<FileDescriptor> connections;
    for (auto& member : members_) connections.push_back(std::move(member.fd));
    return connections;
  }

 private:
  /// Without a secret, only on the address that the host's name has; with one, on all.
  void listen() {
    auto resolution = resolve_host(place_.host, place_.port);
    if (resolution.addresses.empty() && secret_.empty())
      throw BadUsage(fmt::format("{}: the host name {} does not resolve on rank 0 ({})", place_.source, place_.host,
                                 resolution.problem));
    if (!secret_.empty()) resolution.addresses = {SocketAddress::any(AF_INET6), SocketAddress::any(AF_INET)};
    int error = 0;
    for (int i = 0; i < place_.ports; ++i) {
      for (auto& address : resolution.addresses) {
        address.set_port(static_cast<std::uint16_t>(place_.port + i));
        listener_ = listen_at(address);
        if (listener_) return;
        if (error != EADDRINUSE) error = errno;
      }
    }
    if (error == EADDRNOTAVAIL)
      throw BadUsage(
          fmt::format("{}: {} is no address of {}, where rank 0 runs: name rank 0's host, or set "
                      "RINGMARK_TOKEN, so that rank 0 may listen on all of its addresses",
                      place_.source, place_.host, host_name()));
    if (error == EADDRINUSE)
      throw BadUsage(
          fmt::format("{}: port {} of {} is in use, by another process or by a second rank 0: give another "
                      "port",
                      place_.source, place_.port, host_name()));
    throw BadUsage(fmt::format("{}: cannot listen on port {}: {}", place_.source, place_.port, std::strerror(error)));
  }

  void wait() {
    std::vector<pollfd> polled{{listener_.get(), POLLIN, 0}};
    for (const auto& stranger : strangers_) polled.push_back({stranger.fd.get(), POLLIN, 0});
    for (const auto& member : members_) {
      if (member.fd) polled.push_back({member.fd.get(), POLLRDHUP, 0});
    }
    const auto left = deadline_.left(std::chrono::milliseconds(200));
    ::poll(polled.data(), polled.size(), static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
  }

  void look_after_members() {
    std::vector<pollfd> polled;
    std::vector<std::size_t> ranks;
    for (std::size_t rank = 1; rank < members_.size(); ++rank) {
      if (!members_[rank].fd) continue;
      polled.push_back({members_[rank].fd.get(), POLLRDHUP, 0});
      ranks.push_back(rank);
    }
    if (polled.empty() || ::poll(polled.data(), polled.size(), 0) <= 0) return;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      fail({false, fmt::format("lost rank {} on {}: it ended while the ranks met", ranks[i], members_[ranks[i]].host)});
    }
  }

  void accept_all() {
    while (strangers_.size() < most_strangers) {
      SocketAddress from;
      from.length = sizeof from.storage;
      FileDescriptor fd(::accept4(listener_.get(), from.get(), &from.length, SOCK_CLOEXEC));
      if (!fd) return;
      Stranger stranger{std::move(fd), from.text(), random_nonce(), Deadline::after(stranger_patience), {}};
      const auto greeting = encode(Greeting::exchange, Greeting{place_.run, stranger.nonce});
      if (send(stranger.fd, MessageKind::greeting, greeting)) strangers_.push_back(std::move(stranger));
    }
  }

  static bool send(const FileDescriptor& fd, MessageKind kind, const std::string& bytes) {
    try {
      send_message(fd.get(), kind, bytes);
      return true;
    } catch (const std::system_error&) {
      return false;  // the other end is gone
    }
  }

  /// False if the connection leads nowhere, or its owner is a member now.
  bool hear(Stranger& stranger) {
    char part[most_meeting_bytes];
    const auto received = ::recv(stranger.fd.get(), part, sizeof part, MSG_DONTWAIT);
    if (received == 0 || (received < 0 && !would_block())) return false;  // a guest of another run, or a port scanner
    if (received > 0) stranger.bytes.append(part, static_cast<std::size_t>(received));
    try {
      const auto message = first_message(stranger.bytes, most_meeting_bytes);
      if (!message) {
        if (stranger.deadline.passed()) say_refused(stranger.from, "it said nothing");
        return !stranger.deadline.passed();
      }
      judge(stranger, decode<JoinRequest>(JoinRequest::exchange, message->bytes, stranger.from));
    } catch (const TransportError&) {
      if (missing_ < 0) throw;
      say_refused(stranger.from, "it is no rank of this version");
    }
    return false;
  }

  void judge(Stranger& stranger, const JoinRequest& request) {
    if (!are_equal(request.proof, guest_proof(secret_, stranger.nonce, request))) {
      say_refused(fmt::format("rank {} on {}", request.rank, request.host), "its secret (RINGMARK_TOKEN) is another");
      const MeetingRefusal refusal{true, "the secret (RINGMARK_TOKEN) of this rank is not rank 0's"};
      send(stranger.fd, MessageKind::refused, encode(MeetingRefusal::exchange, refusal));
      return;
    }
    if (request.ranks != place_.ranks || request.rank < 0 || request.rank >= place_.ranks) {
      const auto text = fmt::format("rank {} on {} was started for {} ranks, rank 0 on {} for {}: give all the same",
                                    request.rank, request.host, request.ranks, members_[0].host, place_.ranks);
      fail({true, text}, &stranger.fd);
    }
    auto& member = members_[static_cast<std::size_t>(request.rank)];
    if (!member.host.empty()) {
      const auto text = fmt::format("two processes say that they are rank {}: one on {}, one on {}", request.rank,
                                    member.host, request.host);
      fail({true, text}, &stranger.fd);
    }
    const Acceptance acceptance{host_proof(secret_, stranger.nonce, request)};
    if (!send(stranger.fd, MessageKind::accepted, encode(Acceptance::exchange, acceptance))) return;
    member = {std::move(stranger.fd), request.host};
    --missing_;
  }

  /// Tells the reason to all that are there, and throws it.
  [[noreturn]] void fail(const MeetingRefusal& refusal, const FileDescriptor* guest = nullptr) {
    const auto bytes = encode(MeetingRefusal::exchange, refusal);
    for (const auto& member : members_) {
      if (member.fd) send(member.fd, MessageKind::refused, bytes);
    }
    if (guest != nullptr) send(*guest, MessageKind::refused, bytes);
    missing_ = -1;
    throw_refusal(refusal);
  }

  std::string absent() const {
    constexpr std::size_t most_named = 16;
    std::vector<std::size_t> ranks;
    std::vector<std::string> present;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (members_[rank].host.empty()) {
        ranks.push_back(rank);
      } else if (present.size() < most_named) {
        present.push_back(fmt::format("{} on {}", rank, members_[rank].host));
      }
    }
    const auto count = ranks.size();
    ranks.resize(std::min(count, most_named));
    return fmt::format("{} of {} ranks did not come to {} within {:g} s: absent {}{}; present {}{}", count,
                       members_.size(), place_.source, std::chrono::duration<double>(timeout_).count(),
                       fmt::join(ranks, ", "), count > most_named ? ", …" : "", fmt::join(present, ", "),
                       members_.size() - count > most_named ? ", …" : "");
  }

  void say_refused(const std::string& who, std::string_view why) {
    if (++refused_ > most_refusals_shown) return;
    fmt::print(stderr, "ringmark: rank 0 refused {}: {}; it goes on waiting for {} ranks\n", who, why, missing_);
  }

  const Rendezvous& place_;
  const std::string& secret_;
  std::chrono::milliseconds timeout_;
  Deadline deadline_;
  FileDescriptor listener_;
  std::list<Stranger> strangers_;
  std::vector<Member> members_;     ///< by rank
  int missing_ = place_.ranks - 1;  ///< -1 once the meeting has failed
  int refused_ = 0;
};

}  // namespace

std::vector<FileDescriptor> host_meeting(const Rendezvous& place, const std::string& secret,
                                         std::chrono::milliseconds timeout) {
  return Host(place, secret, timeout).meet();
}

}  // namespace ringmark

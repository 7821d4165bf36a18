#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/epoll.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/host.hpp"
#include "base/text/printable.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/meeting_messages.hpp"
#include "transports/bootstrap/meeting_socket.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/socket_address.hpp"
#include "transports/bootstrap/unknown_peers.hpp"
#include "transports/bootstrap/waiting_note.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr auto unknown_peer_patience = std::chrono::seconds(5);
constexpr std::size_t most_unknown_peers = 1024;
/// Epoll keys of the listener and of unknown peers. Keys in between are the members' ranks; rank 0 itself needs none.
constexpr std::uint64_t listener_key = 0, first_unknown_key = std::uint64_t{1} << 32U;

/// A connection whose other end has not proven yet that it belongs to the run.
struct UnknownPeer {
  FileDescriptor fd;
  std::string from, from_host;
  Nonce nonce;
  Deadline deadline;
  std::string bytes;
};

struct Member {
  FileDescriptor fd;
  std::string host;
  std::string from{};
};

class Host {
 public:
  Host(const Rendezvous& place, const std::string& secret, std::chrono::milliseconds timeout)
      : place_(place),
        secret_(secret),
        timeout_(timeout),
        deadline_(Deadline::after(timeout)),
        members_(static_cast<std::size_t>(place.ranks)) {
    members_[0].host = host_name();
    if (!epoll_) throw_errno("create an epoll instance", errno);
  }

  std::vector<FileDescriptor> meet() {
    if (place_.ranks > 1) {
      listen();
      if (const auto doubt = doubt_about_secret(secret_); !doubt.empty()) fmt::print(stderr, "ringmark: {}\n", doubt);
    }
    while (missing_ > 0) {
      if (deadline_.passed()) fail({false, absent()});
      note_.say_if_due([this] { return in_words(late(), place_.ranks); });
      take_events();
      dismiss_silent_peers();
    }
    name_unknown_peers();
    std::vector<FileDescriptor> connections;
    for (auto& member : members_) connections.push_back(std::move(member.fd));
    return connections;
  }

 private:
  void listen() {
    listener_ = listen_for_ranks(place_, !secret_.empty());
    await(listener_, EPOLLIN, listener_key);
  }

  /// The cost of each turn depends on the number of events, not on the number of ranks.
  void take_events() {
    constexpr int most_events = 64;
    epoll_event events[most_events];
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_.left(std::chrono::milliseconds(200)));
    const int count = ::epoll_wait(epoll_.get(), events, most_events, static_cast<int>(left.count()));
    for (int i = 0; i < count; ++i) {
      const auto key = events[i].data.u64;
      if (key == listener_key) {
        accept_all();
      } else if (key < first_unknown_key) {
        fail({false, fmt::format("lost rank {} on {}: it exited while the ranks were meeting", key,
                                 members_[static_cast<std::size_t>(key)].host)});
      } else if (const auto found = unknown_.find(key); found != unknown_.end() && !hear(found->second)) {
        unknown_.erase(found);
      }
    }
  }

  void await(const FileDescriptor& fd, std::uint32_t events, std::uint64_t key) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    check_sys(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event), "wait for a rank");
  }

  /// All peers have the same time limit, so they expire in order of arrival.
  void dismiss_silent_peers() {
    while (!unknown_.empty() && unknown_.begin()->second.deadline.passed()) {
      say_refused(unknown_.begin()->second.from, "it sent nothing");
      unknown_.erase(unknown_.begin());
    }
  }

  void accept_all() {
    while (unknown_.size() < most_unknown_peers) {
      SocketAddress from;
      from.length = sizeof from.storage;
      FileDescriptor fd(::accept4(listener_.get(), from.get(), &from.length, SOCK_CLOEXEC));
      if (!fd) return;
      UnknownPeer peer{
          std::move(fd), from.text(), from.host_text(), random_nonce(), Deadline::after(unknown_peer_patience), {}};
      const auto greeting = encode(Greeting::exchange, Greeting{place_.run, peer.nonce});
      if (!send(peer.fd, MessageKind::greeting, greeting)) continue;
      await(peer.fd, EPOLLIN, next_unknown_);
      unknown_.emplace(next_unknown_++, std::move(peer));
    }
  }

  static bool send(const FileDescriptor& fd, MessageKind kind, const std::string& bytes) {
    try {
      send_message(fd.get(), kind, bytes);
      return true;
    } catch (const std::system_error&) {
      return false;  // the other end has disconnected
    }
  }

  /// False if the connection is finished, or if its owner is a member now.
  bool hear(UnknownPeer& peer) {
    char part[most_meeting_bytes];
    const auto received = ::recv(peer.fd.get(), part, sizeof part, MSG_DONTWAIT);
    if (received == 0 || (received < 0 && !would_block())) {
      if (peer.bytes.empty()) {
        account_.note_silent(peer.from_host);  // a rank of another run, or a port scanner
      } else {
        say_refused(peer.from, "it disconnected in the middle of its first message");
      }
      return false;
    }
    if (received > 0) peer.bytes.append(part, static_cast<std::size_t>(received));
    try {
      const auto message = first_message(peer.bytes, most_meeting_bytes);
      if (!message) return true;
      judge(peer, decode<JoinRequest>(JoinRequest::exchange, message->bytes, peer.from));
    } catch (const TransportError&) {
      if (missing_ < 0) throw;
      say_refused(peer.from, "it is not a rank of this version");
    }
    return false;
  }

  void judge(UnknownPeer& peer, const JoinRequest& request) {
    if (!are_equal(request.proof, guest_proof(secret_, peer.nonce, request))) {
      say_refused(fmt::format("rank {} on {}", request.rank, request.host),
                  "it has a different secret (RINGMARK_TOKEN)");
      const MeetingRefusal refusal{true, "this rank's secret (RINGMARK_TOKEN) differs from rank 0's"};
      send(peer.fd, MessageKind::refused, encode(MeetingRefusal::exchange, refusal));
      return;
    }
    if (request.ranks != place_.ranks || request.rank < 0 || request.rank >= place_.ranks) {
      const auto text =
          fmt::format("rank {} on {} was started for {} ranks, rank 0 on {} for {}; give all ranks the same number",
                      request.rank, request.host, request.ranks, members_[0].host, place_.ranks);
      fail({true, text}, &peer.fd);
    }
    auto& member = members_[static_cast<std::size_t>(request.rank)];
    if (!member.host.empty()) {
      // Hosts may have the same name.
      const auto text =
          fmt::format("two processes claim to be rank {}: one on {}{}, one on {} ({})", request.rank, member.host,
                      member.from.empty() ? "" : fmt::format(" ({})", member.from), request.host, peer.from);
      fail({true, text}, &peer.fd);
    }
    const Acceptance acceptance{host_proof(secret_, peer.nonce, request)};
    if (!send(peer.fd, MessageKind::accepted, encode(Acceptance::exchange, acceptance))) return;
    check_sys(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, peer.fd.get(), nullptr), "accept rank {}", request.rank);
    member = {std::move(peer.fd), request.host, peer.from};
    await(member.fd, EPOLLRDHUP, static_cast<std::uint64_t>(request.rank));
    --missing_;
  }

  /// Reports the unknown peers that were not refused individually: they left without sending anything, or have sent
  /// nothing yet.
  void name_unknown_peers() {
    const auto has_had_time = [](const UnknownPeer& peer) {
      return peer.deadline.left() < unknown_peer_patience - std::chrono::seconds(1);
    };
    for (const auto& [key, peer] : unknown_) {
      if (peer.bytes.empty() && has_had_time(peer)) account_.note_silent(peer.from_host);
    }
    fmt::print(stderr, "{}", account_.summary(place_.ports > 1));
  }

  /// Sends the reason to all ranks that have joined, and throws it.
  [[noreturn]] void fail(const MeetingRefusal& refusal, const FileDescriptor* guest = nullptr) {
    const auto bytes = encode(MeetingRefusal::exchange, refusal);
    for (const auto& member : members_) {
      if (member.fd) send(member.fd, MessageKind::refused, bytes);
    }
    if (guest != nullptr) send(*guest, MessageKind::refused, bytes);
    missing_ = -1;
    name_unknown_peers();
    throw_refusal(refusal);
  }

  std::vector<LateRank> late() const {
    std::vector<LateRank> ranks;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (members_[rank].host.empty()) ranks.push_back({static_cast<int>(rank)});
    }
    return ranks;
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
    return fmt::format("{} of {} ranks did not join ({}) within {:g} s: absent {}{}; present {}{}", count,
                       members_.size(), place_.source, std::chrono::duration<double>(timeout_).count(),
                       fmt::join(ranks, ", "), count > most_named ? ", …" : "", fmt::join(present, ", "),
                       members_.size() - count > most_named ? ", …" : "");
  }

  void say_refused(const std::string& who, std::string_view why) {
    fmt::print(stderr, "{}", account_.refuse(without_controls(who), why, missing_));
  }

  const Rendezvous& place_;
  const std::string& secret_;
  std::chrono::milliseconds timeout_;
  Deadline deadline_;
  FileDescriptor epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  FileDescriptor listener_;
  std::map<std::uint64_t, UnknownPeer> unknown_;  ///< by key, in order of arrival
  std::uint64_t next_unknown_ = first_unknown_key;
  std::vector<Member> members_;     ///< by rank
  int missing_ = place_.ranks - 1;  ///< -1 once the meeting has failed
  UnknownPeers account_;
  WaitingNote note_;
};

}  // namespace

std::vector<FileDescriptor> host_meeting(const Rendezvous& place, const std::string& secret,
                                         std::chrono::milliseconds timeout) {
  return Host(place, secret, timeout).meet();
}

}  // namespace ringmark

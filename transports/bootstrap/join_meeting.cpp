#include <algorithm>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/deadline.hpp"
#include "base/system/host.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/meeting_messages.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/socket_address.hpp"
#include "transports/bootstrap/waiting_note.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr auto patience = std::chrono::seconds(3);  ///< how long to try one address before the next

/// A connection, or the reason why it failed.
struct Dialled {
  FileDescriptor fd;
  std::string obstacle;
};

Dialled dial(const SocketAddress& address, Deadline deadline) {
  FileDescriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return {{}, std::strerror(errno)};
  keep_packets_small(fd.get());
  if (::connect(fd.get(), address.get(), address.length) != 0) {
    if (errno != EINPROGRESS) return {{}, std::strerror(errno)};
    pollfd writable{fd.get(), POLLOUT, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.left(patience)).count();
    if (retry_interrupted([&] { return ::poll(&writable, 1, static_cast<int>(left)); }) <= 0)
      return {{}, "no answer from this address"};
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return {{}, std::strerror(error)};
  }
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);
  return {std::move(fd), {}};
}

class Guest {
 public:
  Guest(const Rendezvous& place, const std::string& secret, std::chrono::milliseconds timeout)
      : place_(place), secret_(secret), timeout_(timeout), deadline_(Deadline::after(timeout)) {}

  FileDescriptor join() {
    for (auto pause = std::chrono::milliseconds(50); !deadline_.passed();) {
      if (auto fd = try_all()) return fd;
      // One rank reports for all that wait for rank 0.
      if (place_.rank == 1) note_.say_if_due([this] { return fmt::format("rank 0 at {}: {}", where(), obstacle_); });
      std::this_thread::sleep_for(std::min<Clock::duration>(pause, deadline_.left()));
      pause = std::min(2 * pause, std::chrono::milliseconds(1000));
    }
    throw TransportError(fmt::format(
        "rank {} on {} did not find rank 0 at {} within {:g} s ({}): {}; check that rank 0 "
        "runs there and that no firewall blocks the port",
        place_.rank, host_name(), where(), std::chrono::duration<double>(timeout_).count(), place_.source, obstacle_));
  }

 private:
  std::string where() const {
    return place_.ports == 1
               ? fmt::format("{} port {}", place_.host, place_.port)
               : fmt::format("{} ports {} to {}", place_.host, place_.port, place_.port + place_.ports - 1);
  }

  FileDescriptor try_all() {
    auto resolution = resolve_host(place_.host, place_.port);
    if (resolution.addresses.empty())
      obstacle_ = fmt::format("the host name {} does not resolve: {}", place_.host, resolution.problem);
    for (auto& address : resolution.addresses) {
      for (int i = 0; i < place_.ports && !deadline_.passed(); ++i) {
        address.set_port(static_cast<std::uint16_t>(place_.port + i));
        auto [fd, obstacle] = dial(address, deadline_);
        if (fd && talk(fd, obstacle)) return std::move(fd);
        // With several ports, report an obstacle at one where something listens rather than at one where nothing does.
        if (i == 0 || fd) obstacle_ = fmt::format("{}: {}", address.text(), obstacle);
      }
    }
    return {};
  }

  /// True once rank 0 has accepted; otherwise sets the obstacle. Throws if rank 0 refused.
  bool talk(const FileDescriptor& fd, std::string& obstacle) const {
    const auto greeted = receive_message(fd.get(), Deadline::after(deadline_.left(patience)), most_meeting_bytes);
    if (!greeted || greeted->kind != MessageKind::greeting) {
      obstacle = "another program is listening there";
      return false;
    }
    const auto greeting = decode<Greeting>(Greeting::exchange, greeted->bytes, "rank 0");
    if (greeting.run != place_.run) {
      obstacle = fmt::format("another run ({}) meets there", greeting.run);
      return false;
    }
    JoinRequest request{place_.rank, place_.ranks, host_name(), random_nonce(), {}};
    request.proof = guest_proof(secret_, greeting.nonce, request);
    send_message(fd.get(), MessageKind::join, encode(JoinRequest::exchange, request));
    const auto answer = receive_message(fd.get(), deadline_, most_meeting_bytes);
    if (answer && answer->kind == MessageKind::refused)
      throw_refusal(decode<MeetingRefusal>(MeetingRefusal::exchange, answer->bytes, "rank 0"));
    if (!answer || answer->kind != MessageKind::accepted) {
      obstacle = "rank 0 closed the connection";
      return false;
    }
    const auto acceptance = decode<Acceptance>(Acceptance::exchange, answer->bytes, "rank 0");
    if (!are_equal(acceptance.proof, host_proof(secret_, greeting.nonce, request)))
      throw BadUsage("the process listening as rank 0 does not know this run's secret (RINGMARK_TOKEN)");
    return true;
  }

  const Rendezvous& place_;
  const std::string& secret_;
  std::chrono::milliseconds timeout_;
  Deadline deadline_;
  std::string obstacle_ = "not tried";
  WaitingNote note_;
};

}  // namespace

FileDescriptor join_meeting(const Rendezvous& place, const std::string& secret, std::chrono::milliseconds timeout) {
  return Guest(place, secret, timeout).join();
}

}  // namespace ringmark

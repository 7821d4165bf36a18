// Silent peers: the part of TcpFabric that tells a lost rank from a lost link, and from packets that are too large.
#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <netinet/tcp.h>

#include "transports/fabric/tcp/inquest.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {
namespace {

constexpr auto inquest_time = std::chrono::milliseconds(700);

/// A packet is given up after so many losses in a row, within 13 s, while its receiver answers probes: chance does not
/// lose them all, even on a link that loses a tenth of all packets.
constexpr unsigned most_transmissions = 6;

/// All zero if the kernel has none.
tcp_info tcp_info_of(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length);
  return info;
}

}  // namespace

/// A peer whose kernel has stopped acknowledging is lost, long before TCP gives up. The kernel of a merely slow process
/// still acknowledges, window probes included. TCP repeats lost packets ever more rarely, so that a link that passes
/// again may be silent for seconds: a short probe tells.
void TcpFabric::check_silence() {
  const auto now = Clock::now();
  if (now < next_silence_check_) return;
  next_silence_check_ = now + silence_check_interval;
  throw_if_told();
  const auto& limit = endpoint_->options().silence;
  const auto patience = std::min<std::chrono::milliseconds>(inquest_time, limit / 2);
  for (const int rank : active_) {
    for (const auto& stream : peer(rank).streams) {
      const auto info = tcp_info_of(stream.fd());
      const bool unanswered = info.tcpi_retransmits >= 2 || info.tcpi_probes >= 2;
      const auto silent =
          std::min<Clock::duration>(std::chrono::milliseconds(info.tcpi_last_ack_recv), now - peer(rank).heard);
      if (!unanswered || silent < limit - patience) continue;
      const auto left = std::max<Clock::duration>(limit - silent, patience / 2);
      const auto observed =
          fmt::format("for {:.1f} s (tcp.silence), {} unanswered", std::chrono::duration<double>(silent + left).count(),
                      info.tcpi_retransmits > 0 ? fmt::format("{} retransmissions", info.tcpi_retransmits)
                                                : fmt::format("{} keep-alive probes", info.tcpi_probes));
      examine_silence(rank, observed, left);
      const auto stall = stall_of(peer(rank).world_rank, stream);
      if (stall && stall->times_sent > most_transmissions) tell(lost_link(stall->peer, describe(*stall)));
    }
  }
}

void TcpFabric::examine_silence(int rank, const std::string& observed, Clock::duration patience) {
  const int world_rank = peer(rank).world_rank;
  if (endpoint_->host(world_rank) == endpoint_->host(endpoint_->rank()))
    lose(rank, "nothing heard from it " + observed);
  const auto loss = hold_inquest(*endpoint_, world_rank, observed, patience);
  throw_if_told();
  if (loss) {
    endpoint_->broadcast(*loss);
    endpoint_->throw_loss(*loss);
  }
  peer(rank).heard = Clock::now();
}

std::optional<TcpFabric::Stall> TcpFabric::find_stall() const {
  constexpr int often = 3;
  for (const auto& peer : peers_) {
    for (const auto& stream : peer.streams) {
      const auto stall = stall_of(peer.world_rank, stream);
      if (!stall || stall->times_sent <= often) continue;
      HostProbe probe([&] { return endpoint_->attempt(peer.world_rank, {.kind = HelloKind::probe}, ""); });
      for (const auto deadline = Deadline::after(inquest_time); !deadline.passed();) {
        if (probe.advance()) return stall;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  }
  return std::nullopt;
}

std::optional<TcpFabric::Stall> TcpFabric::stall_of(int world_rank, const TcpStream& stream) {
  const auto info = tcp_info_of(stream.fd());
  if (info.tcpi_retransmits == 0 || info.tcpi_unacked == 0) return std::nullopt;
  return Stall{world_rank, info.tcpi_snd_mss, info.tcpi_retransmits + 1U, info.tcpi_pmtu};
}

std::string TcpFabric::describe(const Stall& stall) const {
  return fmt::format(
      "{} answers, but packets of {} bytes to it were sent {} times and never acknowledged: does a switch or bridge on "
      "the way carry less than the MTU of {} of this end?",
      endpoint_->host(stall.peer), stall.packet_bytes, stall.times_sent, stall.path_mtu);
}

std::string TcpFabric::why_stalled() {
  throw_if_told();
  const auto stall = find_stall();
  return stall ? describe(*stall) : "";
}

Loss TcpFabric::lost_link(int world_rank, const std::string& reason) const {
  return {std::min(world_rank, endpoint_->rank()), reason, std::max(world_rank, endpoint_->rank())};
}

}  // namespace ringmark

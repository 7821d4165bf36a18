// Silent peers: the part of TcpFabric that distinguishes a lost rank, a lost link, and packets that are too large.
#include <algorithm>
#include <cstdint>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <netinet/tcp.h>

#include "base/errors.hpp"
#include "transports/fabric/tcp/liveness_check.hpp"
#include "transports/fabric/tcp/loss_diagnosis.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {
namespace {

constexpr auto diagnosis_time = std::chrono::milliseconds(700);

/// A link is declared lost if a packet is sent more often than this without an acknowledgement, which takes up to 13 s,
/// while its receiver answers probes. Random loss practically never does that, even if it drops a tenth of all packets.
constexpr unsigned most_transmissions = 6;

/// The kernel's struct, which has more fields than the C library's; the two headers exclude each other.
struct TcpInfo : tcp_info {
  std::uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
  std::uint32_t segments_out, segments_in, unsent_bytes, least_rtt, data_segments_in, data_segments_out;
};
static_assert(sizeof(tcp_info) == 104 && sizeof(TcpInfo) == 160);

/// Zero for fields that the kernel lacks.
TcpInfo tcp_info_of(int fd) {
  TcpInfo info{};
  socklen_t length = sizeof info;
  ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length);
  return info;
}

/// True if packets of about full size got through, at least a twentieth of them only after retransmission. If a switch
/// has a smaller MTU, none of them get through, and small packets are not lost.
bool is_lossy(const TcpInfo& info) {
  constexpr std::uint64_t fewest = 3, share = 20;
  const std::uint64_t repaired =
      info.tcpi_total_retrans - std::min<std::uint32_t>(info.tcpi_retransmits, info.tcpi_total_retrans);
  const auto segments = std::uint64_t{info.data_segments_out};
  return info.bytes_acked > segments * info.tcpi_snd_mss / 2 && repaired >= fewest && repaired * share > segments;
}

}  // namespace

/// A peer whose kernel has stopped acknowledging is lost, long before TCP gives up. The kernel of a merely slow process
/// still acknowledges, including window probes. TCP retransmits lost packets ever more rarely, so a link that works
/// again may be silent for seconds; a short probe shows whether it does.
void TcpFabric::check_silence() {
  const auto now = Clock::now();
  if (now < next_silence_check_) return;
  next_silence_check_ = now + silence_check_interval;
  endpoint_->throw_if_told();
  look_for_stalls();
  const auto& limit = endpoint_->options().silence;
  const auto patience = std::min<std::chrono::milliseconds>(diagnosis_time, limit / 2);
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
    }
  }
}

/// A stalled connection need not be silent: short messages and duplicate acknowledgements that still get through are
/// heard. Each further retransmission is a new reason to check whether the host answers.
void TcpFabric::look_for_stalls() {
  for (auto& connection : endpoint_->connections()) {
    const auto stall = stall_of(connection);
    if (!stall || stall->times_sent <= std::max(most_transmissions, connection.probed_transmissions)) continue;
    connection.probed_transmissions = stall->times_sent;
    if (answers(stall->peer)) tell(lost_link(stall->peer, describe(*stall)));
  }
}

void TcpFabric::examine_silence(int rank, const std::string& observed, Clock::duration patience) {
  const int world_rank = peer(rank).world_rank;
  if (endpoint_->host(world_rank) == endpoint_->host(endpoint_->rank()))
    lose(rank, "nothing heard from it " + observed);
  const auto loss = diagnose_loss(*endpoint_, world_rank, observed, patience);
  endpoint_->throw_if_told();
  if (loss) {
    endpoint_->broadcast(*loss);
    endpoint_->throw_loss(*loss);
  }
  peer(rank).heard = Clock::now();
}

std::optional<TcpFabric::Stall> TcpFabric::find_stall() const {
  constexpr int often = 3;
  for (const auto& connection : endpoint_->connections()) {
    const auto stall = stall_of(connection);
    if (stall && stall->times_sent > often && answers(stall->peer)) return stall;
  }
  return std::nullopt;
}

bool TcpFabric::answers(int world_rank) const {
  HostProbe probe([&] { return endpoint_->attempt(world_rank, {.kind = HelloKind::probe}, ""); });
  for (const auto deadline = Deadline::after(diagnosis_time); !deadline.passed();) {
    if (probe.advance()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::optional<TcpFabric::Stall> TcpFabric::stall_of(const TcpEndpoint::Connection& connection) {
  const auto info = tcp_info_of(connection.fd);
  if (info.tcpi_retransmits == 0 || info.tcpi_unacked == 0) return std::nullopt;
  return Stall{connection.peer, info.tcpi_snd_mss, info.tcpi_retransmits + 1U, info.tcpi_pmtu, is_lossy(info)};
}

std::string TcpFabric::describe(const Stall& stall) const {
  const auto observed =
      fmt::format("{} answers, but packets of {} bytes to it were sent {} times and never acknowledged",
                  endpoint_->host(stall.peer), stall.packet_bytes, stall.times_sent);
  if (!stall.is_lossy)
    return fmt::format("{}: check for a switch or bridge in between whose MTU is below this end's {}", observed,
                       stall.path_mtu);
  return fmt::format("{}, although others got through: the network drops packets{}", observed, lossy_connections());
}

/// ", also to 2 of 3 other hosts: check the NIC and cable of a"; empty if only one path drops packets.
std::string TcpFabric::lossy_connections() const {
  std::set<std::string> hosts, lossy;
  for (const auto& connection : endpoint_->connections()) {
    const auto& host = endpoint_->host(connection.peer);
    if (host == endpoint_->host(endpoint_->rank())) continue;
    hosts.insert(host);
    if (is_lossy(tcp_info_of(connection.fd))) lossy.insert(host);
  }
  if (lossy.size() < 2) return "";
  return fmt::format(", also to {} of {} other hosts: check the NIC and cable of {}", lossy.size(), hosts.size(),
                     endpoint_->host(endpoint_->rank()));
}

Loss TcpFabric::loss_of(const NoConnection& failed) const {
  const auto& own = endpoint_->host(endpoint_->rank());
  const auto& other = endpoint_->host(failed.rank());
  if (own == other || endpoint_->losses_are_apart()) return {.rank = failed.rank(), .reason = failed.what()};
  // The lower rank connects.
  const bool is_outgoing = failed.rank() > endpoint_->rank();
  const auto hint =
      fmt::format("; does a firewall {} connections from {} to {}?", failed.was_refused() ? "reject" : "drop",
                  is_outgoing ? own : other, is_outgoing ? other : own);
  std::string reason = failed.what();
  if (!failed.was_refused()) {
    // A host that is down refuses nothing, and others do not hear from it either.
    const auto loss = diagnose_loss(*endpoint_, failed.rank(), fmt::format("({})", reason), diagnosis_time);
    endpoint_->throw_if_told();
    if (loss && loss->link_to == Loss::no_rank) return *loss;
    if (loss) reason = loss->reason;
  }
  return lost_link(failed.rank(), reason + hint);
}

/// The awaited rank may itself be waiting for another one, which this rank cannot see. To blame is the rank that
/// answers no one.
void TcpFabric::give_up(int awaited, const std::string& reason) {
  endpoint_->throw_if_told();
  Loss loss{.rank = peer(awaited).world_rank, .reason = reason};
  std::vector<int> members;
  for (const auto& each : peers_) members.push_back(each.world_rank);
  if (endpoint_->losses_are_apart()) members = {peer(awaited).world_rank};
  const auto stall = find_stall();
  if (stall) {
    loss = lost_link(stall->peer, reason + "; " + describe(*stall));
  } else if (const auto absences = check_liveness(*endpoint_, members); !absences.empty()) {
    loss.rank = absences.front().rank;
    loss.reason += "; " + describe_absences(*endpoint_, absences);
  }
  endpoint_->throw_if_told();
  endpoint_->broadcast(loss, true);
  const int culprit = stall ? stall->peer : loss.rank;
  throw TimedOut(fmt::format("timed out waiting for rank {} on {}: {}", culprit, endpoint_->host(culprit), loss.reason),
                 true);
}

Loss TcpFabric::lost_link(int world_rank, const std::string& reason) const {
  return {std::min(world_rank, endpoint_->rank()), reason, std::max(world_rank, endpoint_->rank())};
}

}  // namespace ringmark

#include "transports/fabric/tcp/loss_diagnosis.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "transports/fabric/tcp/host_probe.hpp"

namespace ringmark {
namespace {

constexpr std::size_t most_witnesses = 8;
constexpr auto between_looks = std::chrono::milliseconds(50);

/// A witness on a busy host receives the question late, and then probes the peer's host for a while.
constexpr auto longest_testimony = std::chrono::seconds(1);

/// A rank of a third host that is asked whether it hears the peer.
class Witness {
 public:
  Witness(const TcpEndpoint& endpoint, int rank, int peer) : rank_(rank) {
    try {
      attempt_.emplace(endpoint.attempt(rank, {.kind = HelloKind::question}, encode_question(peer)));
    } catch (const std::exception&) {
      // This host itself cannot connect.
    }
  }

  int rank() const { return rank_; }
  bool is_reached() const { return is_reached_; }
  bool will_answer() const { return is_reached_ && !hears_it_; }
  const std::optional<bool>& hears_it() const { return hears_it_; }
  bool is_asked() const { return attempt_.has_value(); }
  pollfd polled() const { return attempt_->polled(); }

  void advance() {
    if (!attempt_) return;
    try {
      if (attempt_->advance()) hears_it_ = true;
    } catch (const std::exception&) {
      if (attempt_->was_answered()) hears_it_ = false;
    }
    is_reached_ |= attempt_->was_answered();
    if (hears_it_) attempt_.reset();
  }

 private:
  int rank_;
  std::optional<ConnectionAttempt> attempt_;
  bool is_reached_ = false;
  std::optional<bool> hears_it_;
};

/// One rank of each host other than this rank's and the peer's, starting with the hosts after this one.
std::vector<Witness> call_witnesses(const TcpEndpoint& endpoint, int peer) {
  std::set<std::string> hosts{endpoint.host(endpoint.rank()), endpoint.host(peer)};
  std::vector<Witness> witnesses;
  for (int i = 1; i < endpoint.size() && witnesses.size() < most_witnesses; ++i) {
    const int rank = (endpoint.rank() + i) % endpoint.size();
    if (hosts.insert(endpoint.host(rank)).second) witnesses.emplace_back(endpoint, rank, peer);
  }
  return witnesses;
}

Loss lost_link(const TcpEndpoint& endpoint, int peer, const std::string& reason) {
  return {.rank = std::min(endpoint.rank(), peer), .reason = reason, .link_to = std::max(endpoint.rank(), peer)};
}

}  // namespace

std::optional<Loss> diagnose_loss(TcpEndpoint& endpoint, int peer, const std::string& observed,
                                  Clock::duration patience) {
  HostProbe probe([&] { return endpoint.attempt(peer, {.kind = HelloKind::probe}, ""); });
  auto witnesses = call_witnesses(endpoint, peer);
  const auto at_least = Deadline::after(patience), at_most = Deadline::after(patience + longest_testimony);
  const auto will_any_answer = [&] {
    return std::any_of(witnesses.begin(), witnesses.end(), std::mem_fn(&Witness::will_answer));
  };
  while (!at_least.passed() || (!at_most.passed() && will_any_answer())) {
    endpoint.serve();
    const bool is_heard = probe.advance();
    for (auto& witness : witnesses) witness.advance();  // contacted ranks also receive the reason
    if (endpoint.notice() || is_heard) return std::nullopt;
    std::vector<pollfd> polled;
    endpoint.append_poll(polled);
    probe.append_poll(polled);
    for (const auto& witness : witnesses)
      if (witness.is_asked()) polled.push_back(witness.polled());
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(at_most.left(between_looks));
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  }
  const auto not_passed = "nothing received " + observed;
  for (const auto& witness : witnesses) {
    if (witness.hears_it() == true)
      return lost_link(
          endpoint, peer,
          fmt::format("{}, while {} reaches {}", not_passed, endpoint.host(witness.rank()), endpoint.host(peer)));
  }
  // With only two hosts, a dead host looks like a dead link.
  if (witnesses.empty()) return lost_link(endpoint, peer, not_passed);
  if (std::none_of(witnesses.begin(), witnesses.end(), std::mem_fn(&Witness::is_reached)))
    return Loss{.rank = endpoint.rank(), .reason = "it heard from no other host " + observed};
  return Loss{.rank = peer, .reason = "nothing heard from its host " + observed};
}

}  // namespace ringmark

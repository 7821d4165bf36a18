// Losses: the part of TcpEndpoint that tells other ranks about them.
#include <algorithm>
#include <numeric>

#include "transports/fabric/tcp/connection_attempt.hpp"
#include "transports/fabric/tcp/endpoint.hpp"
#include "transports/fabric/tcp/messages.hpp"

namespace ringmark {
namespace {

constexpr auto longest_telling = std::chrono::seconds(1);
/// How many ranks report a lost link to each of its ends. One would be enough, but some may have exited by then.
constexpr int most_relays = 8;

}  // namespace

void TcpEndpoint::throw_loss(const Loss& loss) const {
  ringmark::throw_loss(loss, [this](int rank) { return host(rank); });
}

void TcpEndpoint::throw_if_told() {
  serve();
  if (!notice_) return;
  if (news_) news_->spread(*notice_);
  pass_on(*notice_);
  throw_loss(*notice_);
}

/// Reports a lost link to its ends. They cannot inform each other, and each would blame the other's host.
void TcpEndpoint::pass_on(const Loss& link) noexcept {
  if (link.link_to == Loss::no_rank || rank_ == link.rank || rank_ == link.link_to) return;
  std::vector<int> ends;
  for (const int end : {link.rank, link.link_to}) {
    if ((rank_ - end + size()) % size() <= most_relays) ends.push_back(end);
  }
  tell(ends, link);
}

void TcpEndpoint::broadcast(const Loss& loss, bool may_be_there) noexcept {
  if (losses_are_apart_) return;
  if (news_) news_->spread(loss);
  std::vector<int> ranks(peers_.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::erase_if(ranks, [&](int rank) {
    const bool is_lost = rank == loss.rank && loss.link_to == Loss::no_rank && !may_be_there;
    return rank == rank_ || is_lost;
  });
  tell(ranks, loss);
}

/// Reports the loss to the ranks in parallel; returns when they know or after a second.
void TcpEndpoint::tell(const std::vector<int>& ranks, const Loss& loss) noexcept {
  try {
    constexpr std::size_t most_reason = most_hello_text - 256;
    const auto text = encode(notice_exchange, Loss{loss.rank, loss.reason.substr(0, most_reason), loss.link_to});
    std::vector<ConnectionAttempt> attempts;
    for (const int rank : ranks) {
      try {
        attempts.push_back(attempt(rank, {.kind = HelloKind::abort}, text));
      } catch (const std::exception&) {
        continue;  // the others still get the notice
      }
    }
    const auto deadline = Deadline::after(longest_telling);
    while (!attempts.empty() && !deadline.passed()) {
      std::erase_if(attempts, [](ConnectionAttempt& each) {
        try {
          return each.advance().has_value();
        } catch (const std::exception&) {
          return true;  // also lost, or already informed and exiting
        }
      });
      serve();  // others that report a loss at the same time wait for an answer too
      std::vector<pollfd> polled;
      append_poll(polled);
      for (const auto& each : attempts) polled.push_back(each.polled());
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(deadline.left(std::chrono::milliseconds(50)));
      ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    }
  } catch (const std::exception&) {
    // A rank that was not reached notices the loss on its own.
  }
}

}  // namespace ringmark

#include "transports/executor/link_cost.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "transports/errors.hpp"

namespace ringmark {
namespace {

constexpr std::size_t piece_bytes = 128 << 10;
constexpr std::size_t most_bytes = 1 << 20;
constexpr std::array<std::size_t, 5> sizes_bytes{64, 16 << 10, 64 << 10, 256 << 10, most_bytes};
constexpr double enough_us = 4000;  ///< a longer exchange is all rate: more of it would tell nothing new
constexpr double share_us = 6000;   ///< for the repetitions of one size
constexpr int most_repetitions = 40, least_repetitions = 4;

/// The value with a parts-th of the others below it.
double lower(std::vector<double>& values, std::size_t parts) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / parts);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

class Exchange {
 public:
  Exchange(Fabric& fabric, Clock::duration patience)
      : fabric_(fabric),
        patience_(patience),
        next_((fabric.rank() + 1) % fabric.size()),
        previous_((fabric.rank() + fabric.size() - 1) % fabric.size()),
        outgoing_(fabric.memory(), most_bytes),
        incoming_(fabric.memory(), most_bytes) {
    // Both at once: one after the other, every rank of a ring could wait for the next one.
    const std::array neighbours{next_, previous_};
    fabric_.connect(std::span(neighbours).first(next_ == previous_ ? 1 : 2), Deadline::after(patience_));
    fabric_.keep(outgoing_.span());
    fabric_.keep(incoming_.span());
  }
  ~Exchange() {
    fabric_.forget(incoming_.span());
    fabric_.forget(outgoing_.span());
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  double time_us(std::size_t bytes) {
    const auto start = Clock::now();
    std::uint64_t sent = 0, received = 0;
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
      const std::size_t piece = std::min(piece_bytes, bytes - at);
      received = fabric_.receive(previous_, {incoming_.data() + at, piece});
      sent = fabric_.send(next_, {outgoing_.data() + at, piece});
    }
    const auto deadline = Deadline::after(patience_);
    while (fabric_.sent(next_) < sent || fabric_.received(previous_) < received) {
      if (deadline.passed()) give_up(fabric_.received(previous_) < received ? previous_ : next_);
      fabric_.progress(deadline);
    }
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }

 private:
  [[noreturn]] void give_up(int peer) {
    const std::string reason = "an exchange to measure the link did not end within the time-out";
    fabric_.abort(peer, reason);
    throw TimedOut(fmt::format("timed out waiting for {}: {}", fabric_.describe(peer), reason));
  }

  Fabric& fabric_;
  Clock::duration patience_;
  int next_, previous_;
  Block outgoing_, incoming_;
};

}  // namespace

LinkCost measure_link_cost(Fabric& fabric, const std::function<double(double)>& slowest, Clock::duration patience) {
  constexpr int warmup = 3;
  constexpr std::size_t bulk_bytes = 16 << 10;
  Exchange exchange(fabric, patience);
  double alpha_us = 0;
  std::vector<double> times_us, betas;
  for (const std::size_t bytes : sizes_bytes) {
    double typical_us = 0;
    for (int i = 0; i < warmup; ++i) typical_us = exchange.time_us(bytes);
    const int repetitions = std::clamp(static_cast<int>(share_us / std::max(slowest(typical_us), 1.0)),
                                       least_repetitions, most_repetitions);
    times_us.clear();
    for (int i = 0; i < repetitions; ++i) times_us.push_back(exchange.time_us(bytes));
    // The lower quartile of long ones: what else the host did meanwhile is no matter.
    const double time_us = slowest(lower(times_us, bytes < bulk_bytes ? 2 : 4));
    if (alpha_us == 0) alpha_us = time_us;
    if (bytes >= bulk_bytes) betas.push_back(std::max(time_us - alpha_us, 0.0) / static_cast<double>(bytes));
    if (time_us - alpha_us > enough_us) break;
  }
  // The median, for a burst that a shaper lets through is in some of them.
  return {alpha_us, lower(betas, 2)};
}

}  // namespace ringmark

#include "transports/executor/link_cost.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "transports/errors.hpp"
#include "transports/reduce/reduction.hpp"

namespace ringmark {
namespace {

constexpr std::size_t piece_bytes = 128 << 10;
constexpr std::size_t most_bytes = 1 << 20;
constexpr std::size_t least_bytes = 64;
constexpr std::array<std::size_t, 4> sizes_bytes{16 << 10, 64 << 10, 256 << 10, most_bytes};
constexpr double enough_us = 4000;  ///< a longer exchange is all rate: more of it would tell nothing new
constexpr double batch_us = 3000;   ///< that exchanges of one size in a row take together
constexpr int most_in_batch = 64;
constexpr int rounds = 6;
constexpr double most_us = 100'000;  ///< for the rounds of all sizes, of which there are then fewer, but
constexpr int least_rounds = 2;

/// Of the slowest rank's times: what else the host did in the others is no matter.
double lower_quartile(std::vector<double> times_us, const std::function<double(double)>& slowest) {
  for (double& time_us : times_us) time_us = slowest(time_us);
  const auto place = times_us.begin() + static_cast<std::ptrdiff_t>(times_us.size() / 4);
  std::nth_element(times_us.begin(), place, times_us.end());
  return *place;
}

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class Exchange {
 public:
  Exchange(Fabric& fabric, Clock::duration patience)
      : fabric_(fabric),
        patience_(patience),
        outgoing_(fabric.memory(), most_bytes),
        incoming_(fabric.memory(), most_bytes) {
    // All at once: one after the other, every rank of a ring could wait for the next one.
    std::set<int> peers;
    for (int distance = 1; distance < fabric.size(); distance *= 2) peers.insert({after(distance), before(distance)});
    fabric_.connect(std::vector<int>(peers.begin(), peers.end()), Deadline::after(patience_));
    fabric_.keep(outgoing_.span());
    fabric_.keep(incoming_.span());
  }
  ~Exchange() {
    fabric_.forget(incoming_.span());
    fabric_.forget(outgoing_.span());
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int steps_with_all() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(fabric_.size() - 1))); }

  /// One after which all have heard of all, the dissemination barrier: the mean of so many in a row.
  double with_all_us(int times) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) with_all();
    return us_since(start) / times;
  }
  /// One with the next and the previous rank. Where ranks share cores, one may run ahead of others, and by its own
  /// clock exchanges take next to nothing or for ever: the batch begins when all are there, and the slowest rank's
  /// counts.
  double with_neighbours_us(std::size_t bytes, int times) {
    with_all();
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) step(1, bytes);
    return us_since(start) / times;
  }

 private:
  [[noreturn]] void give_up(int peer) {
    const std::string reason = "an exchange to measure the link did not end within the time-out";
    fabric_.abort(peer, reason);
    throw TimedOut(fmt::format("timed out waiting for {}: {}", fabric_.describe(peer), reason));
  }

  int after(int distance) const { return (fabric_.rank() + distance) % fabric_.size(); }
  int before(int distance) const { return (fabric_.rank() + fabric_.size() - distance) % fabric_.size(); }

  void with_all() {
    for (int distance = 1; distance < fabric_.size(); distance *= 2) step(distance, least_bytes);
  }
  void step(int distance, std::size_t bytes) {
    const int to = after(distance), from = before(distance);
    std::uint64_t sent = 0, received = 0;
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
      const std::size_t piece = std::min(piece_bytes, bytes - at);
      received = fabric_.receive(from, {incoming_.data() + at, piece});
      sent = fabric_.send(to, {outgoing_.data() + at, piece});
    }
    const auto deadline = Deadline::after(patience_);
    while (fabric_.sent(to) < sent || fabric_.received(from) < received) {
      if (deadline.passed()) give_up(fabric_.received(from) < received ? from : to);
      fabric_.progress(deadline);
    }
  }

  Fabric& fabric_;
  Clock::duration patience_;
  Block outgoing_, incoming_;
};

/// Adds vectors up that are too long for the nearest caches, as what arrives and what it is added to mostly is.
class Adding {
 public:
  explicit Adding(int ranks) : reduction_(reduction_for(DataType::float32, ReduceOp::sum, ranks, false)) {}

  double us_per_byte() {
    const auto start = Clock::now();
    reduction_(sum_.data(), sum_.data(), other_.data(), sum_.size());
    return us_since(start) / most_bytes;
  }

 private:
  Reduction reduction_;
  std::vector<float> sum_ = std::vector<float>(most_bytes / sizeof(float)), other_ = sum_;
};

/// Exchanges of one size in a row.
struct Batch {
  std::size_t bytes;
  int times;
  std::vector<double> times_us;  ///< of one of them, by round
};

}  // namespace

LinkCost measure_link_cost(Fabric& fabric, const std::function<double(double)>& slowest, Clock::duration patience) {
  constexpr int warmup = 3;
  Exchange exchange(fabric, patience);
  const auto in_batch = [](double typical_us) {
    return std::clamp(static_cast<int>(batch_us / std::max(typical_us, 1.0)), 1, most_in_batch);
  };

  const int times_with_all = in_batch(slowest(exchange.with_all_us(warmup)));
  std::vector<double> all_us;
  const auto meet_all = [&] {
    for (int round = 0; round < rounds; ++round) all_us.push_back(exchange.with_all_us(times_with_all));
  };
  // Before the batches and behind them, so that what else the host does for some milliseconds meets but half of it.
  // Not between them, for a shaper would let a burst through after each.
  meet_all();
  std::vector<Batch> batches;
  double round_us = 0;
  for (const std::size_t bytes : sizes_bytes) {
    double typical_us = slowest(exchange.with_neighbours_us(bytes, 1));
    if (typical_us < enough_us) typical_us = slowest(exchange.with_neighbours_us(bytes, warmup));
    batches.push_back({bytes, in_batch(typical_us), {}});
    round_us += typical_us * batches.back().times;
    if (typical_us > enough_us) break;
  }
  const int bulk_rounds = std::clamp(static_cast<int>(most_us / round_us), least_rounds, rounds);
  for (int round = 0; round < bulk_rounds; ++round) {
    for (auto& [bytes, times, times_us] : batches) times_us.push_back(exchange.with_neighbours_us(bytes, times));
  }
  meet_all();
  // Last: whoever is held up while adding would hold up the others' exchanges.
  Adding adding(fabric.size());
  std::vector<double> gammas;
  for (int round = 0; round < rounds; ++round) gammas.push_back(adding.us_per_byte());

  const double alpha_us = lower_quartile(all_us, slowest) / exchange.steps_with_all();
  std::vector<double> betas;
  for (const auto& batch : batches) {
    const double time_us = lower_quartile(batch.times_us, slowest);
    betas.push_back(std::max(time_us - alpha_us, 0.0) / static_cast<double>(batch.bytes));
  }
  // The upper median, for a burst that a shaper lets through is in some of them.
  const auto middle = betas.begin() + static_cast<std::ptrdiff_t>(betas.size() / 2);
  std::nth_element(betas.begin(), middle, betas.end());
  return {alpha_us, *middle, lower_quartile(gammas, slowest)};
}

}  // namespace ringmark

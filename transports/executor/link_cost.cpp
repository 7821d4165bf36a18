#include "transports/executor/link_cost.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/duration_text.hpp"
#include "transports/reduce/reduction.hpp"

namespace ringmark {
namespace {

constexpr std::size_t piece_bytes = 128 << 10;
constexpr std::size_t barrier_bytes = 64;
constexpr std::array<std::size_t, 4> sizes_bytes{16 << 10, 64 << 10, 256 << 10, 1 << 20};
constexpr std::size_t longest_bytes = sizes_bytes.back();
constexpr double enough_us =
    4000;  ///< in addition to alpha: an exchange this long shows the rate, and longer ones add nothing
constexpr double batch_us = 3000;  ///< of consecutive repetitions, in total
constexpr int most_repetitions = 64;
constexpr double most_us = 100'000;  ///< of all rounds in total
constexpr int least_rounds = 2, most_rounds = 6;

/// The slowest rank's time in the fastest round. For operations that take little time, since other work on the host
/// only adds to it.
double least(std::vector<double> times_us, const std::function<double(double)>& slowest) {
  for (double& time_us : times_us) time_us = slowest(time_us);
  return *std::min_element(times_us.begin(), times_us.end());
}

/// The lower quartile of the slowest rank's times, which ignores rounds in which the host was busy with other work, or
/// in which a shaper let a burst through.
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
        outgoing_(fabric.memory(), longest_bytes),
        incoming_(fabric.memory(), longest_bytes) {
    // In a single call: if a rank connected to one peer after another, all ranks of a ring could wait for each other.
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

  int barrier_steps() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(fabric_.size() - 1))); }

  /// Mean time of this many consecutive dissemination barriers.
  double barrier_us(int repetitions) {
    barrier();
    const auto start = Clock::now();
    for (int i = 0; i < repetitions; ++i) barrier();
    return us_since(start) / repetitions;
  }
  /// Mean time of this many consecutive exchanges, to the next rank and from the previous one. If ranks share cores,
  /// one may run ahead of others, and exchanges seem very short or very long by its own clock, so use the slowest
  /// rank's.
  double ring_us(std::size_t bytes, int repetitions) {
    barrier();
    const auto start = Clock::now();
    for (int i = 0; i < repetitions; ++i) step(1, bytes);
    return us_since(start) / repetitions;
  }

 private:
  int after(int distance) const { return (fabric_.rank() + distance) % fabric_.size(); }
  int before(int distance) const { return (fabric_.rank() + fabric_.size() - distance) % fabric_.size(); }

  void barrier() {
    for (int distance = 1; distance < fabric_.size(); distance *= 2) step(distance, barrier_bytes);
  }
  void step(int distance, std::size_t bytes) {
    const int to = after(distance), from = before(distance);
    std::uint64_t sent = 0, received = 0;
    for (std::size_t at = 0; at < bytes; at += piece_bytes) {
      const std::size_t piece = std::min(piece_bytes, bytes - at);
      received = fabric_.receive(from, {incoming_.data() + at, piece});
      sent = fabric_.send(to, {outgoing_.data() + at, piece});
    }
    const auto moved = [&] { return fabric_.sent(to) + fabric_.received(from); };
    auto deadline = Deadline::after(patience_);
    for (auto last = moved(); fabric_.sent(to) < sent || fabric_.received(from) < received;) {
      if (deadline.passed())
        fabric_.give_up(fabric_.received(from) < received ? from : to,
                        fmt::format("an exchange to measure the link did not finish within {}", as_timeout(patience_)));
      fabric_.progress(deadline);
      if (moved() != std::exchange(last, moved())) deadline = Deadline::after(patience_);
    }
  }

  Fabric& fabric_;
  Clock::duration patience_;
  Block outgoing_, incoming_;
};

/// Times reductions of vectors larger than the nearest caches, because received data and operands usually are.
class ReductionTimer {
 public:
  explicit ReductionTimer(int ranks) : reduction_(reduction_for(DataType::float32, ReduceOp::sum, ranks, false)) {}

  double us_per_byte() {
    const auto start = Clock::now();
    reduction_(sum_.data(), sum_.data(), other_.data(), sum_.size());
    return us_since(start) / longest_bytes;
  }

 private:
  Reduction reduction_;
  std::vector<float> sum_ = std::vector<float>(longest_bytes / sizeof(float)), other_ = sum_;
};

/// Repeated ring exchanges of one size.
struct Batch {
  std::size_t bytes;
  int repetitions;
  std::vector<double> times_us;  ///< mean time of an exchange in each round
};

int repetitions_of(double typical_us) {
  return std::clamp(static_cast<int>(batch_us / std::max(typical_us, 1.0)), 1, most_repetitions);
}
int rounds_of(double round_us) {
  return std::clamp(static_cast<int>(most_us / std::max(round_us, 1.0)), least_rounds, most_rounds);
}

}  // namespace

LinkCost measure_link_cost(Fabric& fabric, const std::function<double(double)>& slowest, Clock::duration patience) {
  constexpr int warmup = 3;
  Exchange exchange(fabric, patience);

  const double typical_barrier_us = slowest(exchange.barrier_us(warmup));
  const int barriers = repetitions_of(typical_barrier_us);
  std::vector<double> barriers_us;
  const auto time_barriers = [&] {
    const int rounds = rounds_of(typical_barrier_us * barriers);
    for (int round = 0; round < rounds; ++round) barriers_us.push_back(exchange.barrier_us(barriers));
  };
  // Barriers run before and after the batches, so that other work on the host that lasts some milliseconds affects only
  // half of them. They do not run between batches, since a shaper would let a burst through after each.
  time_barriers();
  const double least_alpha_us =
      slowest(*std::min_element(barriers_us.begin(), barriers_us.end())) / exchange.barrier_steps();
  std::vector<Batch> batches;
  double round_us = 0;
  for (const std::size_t bytes : sizes_bytes) {
    // Twice, because the first exchange may include one-time costs.
    double typical_us = slowest(exchange.ring_us(bytes, 1));
    const bool is_short = typical_us - least_alpha_us < enough_us;
    typical_us = std::min(typical_us, slowest(exchange.ring_us(bytes, is_short ? warmup : 1)));
    batches.push_back({bytes, repetitions_of(typical_us), {}});
    round_us += typical_us * batches.back().repetitions;
    if (typical_us - least_alpha_us > enough_us) break;
  }
  const int rounds = rounds_of(round_us);
  for (int round = 0; round < rounds; ++round) {
    for (auto& [bytes, repetitions, times_us] : batches) times_us.push_back(exchange.ring_us(bytes, repetitions));
  }
  time_barriers();
  // Reductions come last: a rank that is delayed while reducing would delay the others' exchanges. Vectors on a GPU are
  // not reduced.
  std::vector<double> gammas{0};
  if (fabric.memory().kind() == MemoryKind::host) {
    ReductionTimer reduction(fabric.size());
    gammas.clear();
    for (int round = 0; round < most_rounds; ++round) gammas.push_back(reduction.us_per_byte());
  }

  const double alpha_us = least(barriers_us, slowest) / exchange.barrier_steps();
  std::vector<double> betas;
  for (const auto& batch : batches) {
    const double time_us = lower_quartile(batch.times_us, slowest);
    betas.push_back(std::max(time_us - alpha_us, 0.0) / static_cast<double>(batch.bytes));
  }
  // The upper median, because some batches include a burst that a shaper let through.
  const auto middle = betas.begin() + static_cast<std::ptrdiff_t>(betas.size() / 2);
  std::nth_element(betas.begin(), middle, betas.end());
  return {alpha_us, *middle, lower_quartile(gammas, slowest)};
}

}  // namespace ringmark

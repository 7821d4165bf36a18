#include "bench/link/link_measure.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/errors.hpp"
#include "bench/harness/control.hpp"
#include "bench/link/link_buffer.hpp"
#include "bench/link/link_destination.hpp"
#include "results/fit.hpp"

namespace ringmark {
namespace {

/// The source of a link.
class Source {
 public:
  Source(Fabric& fabric, const LinkPlan& plan)
      : fabric_(fabric), plan_(plan), peer_(plan.destination), buffer_(fabric, plan) {
    buffer_.fill();
    if (plan.test == LinkTest::bandwidth) {
      constexpr std::size_t stream_bytes = 4 << 20;
      messages_ = static_cast<int>(std::clamp<std::size_t>(stream_bytes / buffer_.size(), 1, 4096));
    }
  }

  LinkResult measure() {
    warm_up();
    LinkResult result;
    const auto started = Clock::now();
    plan_.around_timed(true);
    while (!result.stop_reason) {
      run_block(next_samples(result.times_us, Clock::now() - started), result);
      const auto elapsed = Clock::now() - started;
      result.stop_reason = stop_reason(plan_.time, result.times_us, elapsed);
      if (!result.stop_reason && !plan_.time.iterations && left_us(elapsed) < sample_us_ / 2)
        result.stop_reason = StopReason::time;
    }
    plan_.around_timed(false);
    tell(LinkBlock{.kind = LinkBlock::Kind::end});
    return result;
  }

 private:
  using Microseconds = std::chrono::duration<double, std::micro>;

  /// Announces a block of samples to the other end and times them; the other end checks the last message.
  void run_block(int samples, LinkResult& result) {
    const double asked_us = now_us();
    tell(LinkBlock{.samples = samples, .messages = messages_});
    hear();  // wait until the other end is ready
    round_trip_us_ = now_us() - asked_us;
    for (int i = 0; i < samples; ++i) result.times_us.push_back(time_sample() / messages_);
    result.messages += static_cast<std::uint64_t>(samples) * static_cast<std::uint64_t>(messages_);
    result.wrong_bytes += static_cast<std::uint64_t>(hear());
    sample_us_ = result.times_us.back() * messages_ + rest_us();
  }

  /// Lets the TCP window grow, and determines how many messages a sample has.
  void warm_up() {
    LinkResult untimed;
    const auto most = std::exchange(messages_, 1);
    const auto started = Clock::now();
    run_block(1, untimed);
    round_trip_us_ = 0;  // it includes the other end's preparation
    int samples = plan_.time.warmup + 1;
    if (plan_.time.iterations) {
      messages_ = most;
    } else {
      const auto half_left_us = [&] { return left_us(Clock::now() - started) - max_time_us() / 2; };
      // The first messages may pass faster than the link's rate, through a shaper's bucket or a switch's buffer.
      while (grow(most) && half_left_us() > 0) run_block(1, untimed);
      samples = count_within(half_left_us(), samples);
    }
    if (samples > 0) run_block(samples, untimed);
    if (!plan_.time.iterations) grow(messages_);
    tell(LinkBlock{.kind = LinkBlock::Kind::start});
    hear();
  }

  /// Chooses the number of messages per sample from the last sample's time, so that a sample takes a quarter of the
  /// time, or up to half if round trips are long, because the sample includes one. At most twice the previous number,
  /// and at most `most`. Returns true if the number grew by more than half.
  bool grow(int most) {
    constexpr double least_round_trips = 50;
    slowest_round_trip_us_ = std::max(slowest_round_trip_us_, round_trip_us_);
    const double share_us =
        std::clamp(least_round_trips * slowest_round_trip_us_, max_time_us() / 4, max_time_us() / 2);
    const double fitting = share_us / (sample_us_ - rest_us()) * messages_;
    const int before = messages_;
    messages_ = static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(std::min(most, 2 * before))));
    sample_us_ = (sample_us_ - rest_us()) * messages_ / before + rest_us();
    return 2 * messages_ > 3 * before;
  }

  /// The number of samples that fit into a time, judging by the last sample; at most `most`.
  int count_within(double us, int most) const {
    return static_cast<int>(std::clamp(us / sample_us_, 0.0, static_cast<double>(most)));
  }

  /// Limits the next block by the number of samples so far: if the warm-up ended before the step's other links started,
  /// it underestimates a sample's time.
  int next_samples(const std::vector<double>& times_us, Clock::duration elapsed) const {
    const auto done = static_cast<int>(times_us.size());
    const int block = next_block(plan_.time, done, sample_us_);
    if (plan_.time.iterations) return block;
    return std::max(count_within(left_us(elapsed), std::min(block, 1 + 2 * done)), 1);
  }

  double max_time_us() const { return Microseconds(plan_.time.max_time).count(); }
  double left_us(Clock::duration elapsed) const { return max_time_us() - Microseconds(elapsed).count(); }

  double rest_us() const { return plan_.test == LinkTest::burst ? burst_rest_us : 0; }

  double time_sample() {
    if (rest_us() > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(rest_us()));
    const double start = now_us();
    for (int i = 0; i < messages_; ++i) buffer_.post_send(peer_);
    if (plan_.test == LinkTest::latency) {
      const auto number = buffer_.post_receive(peer_);
      until([&] { return fabric_.received(peer_) >= number; });
      return (now_us() - start) / 2;
    }
    hear();
    return now_us() - start;
  }

  void tell(const LinkBlock& block) {
    const auto number = fabric_.send(peer_, std::as_bytes(std::span(&block, 1)));
    until([&] { return fabric_.sent(peer_) >= number; });
  }
  double hear() {
    double value = 0;
    const auto number = fabric_.receive(peer_, {reinterpret_cast<std::byte*>(&value), sizeof value});
    until([&] { return fabric_.received(peer_) >= number; });
    return value;
  }

  /// Progresses until `done` returns true. Throws TimedOut if nothing completes within the timeout.
  template <class Done>
  void until(Done done) {
    const auto complete = [&] { return fabric_.sent(peer_) + fabric_.received(peer_); };
    auto deadline = Deadline::after(plan_.time.timeout);
    for (auto before = complete(); !done();) {
      fabric_.progress(deadline);
      if (const auto now = complete(); now != before) {
        before = now;
        deadline = Deadline::after(plan_.time.timeout);
      } else if (deadline.passed()) {
        throw TimedOut("timed out waiting for " + fabric_.describe(peer_));
      }
    }
  }

  Fabric& fabric_;
  const LinkPlan& plan_;
  int peer_;
  LinkBuffer buffer_;
  int messages_ = 1;  ///< per sample
  double round_trip_us_ = 0, slowest_round_trip_us_ = 0;
  double sample_us_ = 0;  ///< estimated time of a sample, including the rest before it
};

}  // namespace

LinkResult measure_link(Fabric& fabric, const LinkPlan& plan) {
  if (fabric.rank() == plan.source) return Source(fabric, plan).measure();
  serve_links(fabric, {plan});
  return {};
}

}  // namespace ringmark

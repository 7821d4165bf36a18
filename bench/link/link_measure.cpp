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
    LinkResult result;
    const auto full = std::exchange(messages_, 1);
    static_assert(untimed_blocks == 2);
    run_block(1, result);  // opens the connection's window; its time says how much fits into what is left
    adapt(full, result.times_us.back());
    run_block(warmup_, result);
    const double typical_us = result.times_us.back() * messages_ + rest_us();
    result = {};
    const auto started = Clock::now();
    plan_.around_timed(true);
    while (!result.stop_reason) {
      const int done = static_cast<int>(result.times_us.size()), block = next_block(plan_.time, done, typical_us);
      // The warm-up may have been over before the other links of the step began, and tell too short a time.
      run_block(plan_.time.iterations ? block : std::min(block, first_block + 2 * done), result);
      result.stop_reason = stop_reason(plan_.time, result.times_us, Clock::now() - started);
    }
    plan_.around_timed(false);
    ask(0);
    return result;
  }

 private:
  /// The destination takes two numbers before it looks at them.
  void ask(int samples) {
    tell(samples);
    tell(messages_);
  }

  /// Samples that the other end expects and checks.
  void run_block(int samples, LinkResult& result) {
    ask(samples);
    hear();  // that the other end is ready
    for (int i = 0; i < samples; ++i) result.times_us.push_back(time_sample() / messages_);
    result.messages += static_cast<std::uint64_t>(samples) * static_cast<std::uint64_t>(messages_);
    result.wrong_bytes += static_cast<std::uint64_t>(hear());
  }

  /// On a link on which they would take the most part of the time, the warm-up and the messages of a sample are fewer.
  void adapt(int full, double message_us) {
    messages_ = full;
    warmup_ = plan_.time.warmup + 1;
    if (plan_.time.iterations) return;
    const double quarter_us = std::chrono::duration<double, std::micro>(plan_.time.max_time).count() / 4;
    messages_ = static_cast<int>(std::clamp(quarter_us / message_us, 1.0, static_cast<double>(full)));
    const double sample_us = message_us * messages_ + rest_us();
    warmup_ = static_cast<int>(std::clamp(quarter_us / sample_us, 1.0, static_cast<double>(warmup_)));
  }

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

  void tell(double value) {
    const auto number = fabric_.send(peer_, std::as_bytes(std::span(&value, 1)));
    until([&] { return fabric_.sent(peer_) >= number; });
  }
  double hear() {
    double value = 0;
    const auto number = fabric_.receive(peer_, {reinterpret_cast<std::byte*>(&value), sizeof value});
    until([&] { return fabric_.received(peer_) >= number; });
    return value;
  }

  /// As long as something becomes complete within the time-out.
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

  static constexpr int first_block = 8;

  Fabric& fabric_;
  const LinkPlan& plan_;
  int peer_;
  LinkBuffer buffer_;
  int messages_ = 1;  ///< in one sample
  int warmup_ = 0;    ///< samples
};

}  // namespace

LinkResult measure_link(Fabric& fabric, const LinkPlan& plan) {
  if (fabric.rank() == plan.source) return Source(fabric, plan).measure();
  serve_links(fabric, {plan});
  return {};
}

}  // namespace ringmark

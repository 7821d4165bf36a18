#include "bench/link/link_measure.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "base/errors.hpp"
#include "bench/harness/checked_buffers.hpp"
#include "bench/harness/control.hpp"
#include "results/fit.hpp"

namespace ringmark {
namespace {

/// One end of a link.
class End {
 public:
  End(Fabric& fabric, const LinkPlan& plan)
      : fabric_(fabric),
        plan_(plan),
        is_source_(fabric.rank() == plan.source),
        peer_(is_source_ ? plan.destination : plan.source),
        // The destination expects what a broadcast from the source would bring.
        block_(fabric.memory(), plan.bytes),
        buffer_(block_.data(), plan.bytes),
        checked_(fabric.memory(), {Collective::broadcast, DataType::uint8, ReduceOp::sum, plan.bytes, plan.source},
                 {block_.data(), block_.data()}, fabric.rank(), fabric.size()) {
    if (is_source_) checked_.fill();
    fabric_.keep(buffer_);
    if (plan.test == LinkTest::bandwidth) {
      constexpr std::size_t stream_bytes = 4 << 20;
      messages_ = static_cast<int>(std::clamp<std::size_t>(stream_bytes / buffer_.size(), 1, 4096));
    }
  }

  ~End() { fabric_.forget(buffer_); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  LinkResult run_source() {
    LinkResult result;
    const auto full = std::exchange(messages_, 1);
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
    tell(0);
    return result;
  }

  void run_destination() {
    while (const auto samples = static_cast<int>(hear())) {
      messages_ = static_cast<int>(hear());
      checked_.poison();
      tell(0);
      for (int i = 0; i < samples; ++i) serve_sample();
      tell(static_cast<double>(checked_.count_wrong()));
    }
  }

 private:
  /// Samples that the other end expects and checks.
  void run_block(int samples, LinkResult& result) {
    tell(samples);
    tell(messages_);
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
    for (int i = 0; i < messages_; ++i) post(buffer_, [&](auto piece) { fabric_.send(peer_, piece); });
    if (plan_.test == LinkTest::latency) {
      receive(buffer_);
      return (now_us() - start) / 2;
    }
    hear();
    return now_us() - start;
  }

  void serve_sample() {
    for (int i = 0; i < messages_; ++i) {
      last_ = post_receive(buffer_);
      // Bounded posting: enough to keep the wire busy.
      if (i % 64 == 63) until([&] { return fabric_.received(peer_) >= last_; });
    }
    until([&] { return fabric_.received(peer_) >= last_; });
    if (plan_.test == LinkTest::latency) {
      send(buffer_);
    } else {
      tell(1);
    }
  }

  void send(std::span<const std::byte> bytes) {
    std::uint64_t number = 0;
    post(bytes, [&](auto piece) { number = fabric_.send(peer_, piece); });
    until([&] { return fabric_.sent(peer_) >= number; });
  }
  void receive(std::span<std::byte> bytes) {
    const auto number = post_receive(bytes);
    until([&] { return fabric_.received(peer_) >= number; });
  }
  std::uint64_t post_receive(std::span<std::byte> bytes) {
    std::uint64_t number = 0;
    post(bytes, [&](auto piece) { number = fabric_.receive(peer_, {piece.data(), piece.size()}); });
    return number;
  }

  /// In pieces, which follow one another without a pause: that one is complete shows that bytes flow, however long the
  /// whole takes.
  template <class Byte, class Post>
  static void post(std::span<Byte> bytes, Post post_piece) {
    constexpr std::size_t piece_bytes = 16U << 20U;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes)
      post_piece(bytes.subspan(at, std::min(piece_bytes, bytes.size() - at)));
  }

  void tell(double value) { send(std::as_bytes(std::span(&value, 1))); }
  double hear() {
    double value = 0;
    receive(std::as_writable_bytes(std::span(&value, 1)));
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
  bool is_source_;
  int peer_;
  Block block_;
  std::span<std::byte> buffer_;
  CheckedBuffers checked_;
  int messages_ = 1;  ///< in one sample
  int warmup_ = 0;    ///< samples
  std::uint64_t last_ = 0;
};

}  // namespace

LinkResult measure_link(Fabric& fabric, const LinkPlan& plan) {
  End end(fabric, plan);
  if (fabric.rank() == plan.source) return end.run_source();
  end.run_destination();
  return {};
}

}  // namespace ringmark

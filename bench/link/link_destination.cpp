#include "bench/link/link_destination.hpp"

#include <algorithm>
#include <memory>

#include "base/errors.hpp"
#include "base/system/deadline.hpp"
#include "base/units.hpp"
#include "bench/harness/control.hpp"
#include "bench/link/link_buffer.hpp"

namespace ringmark {
namespace {

/// Answers one source step by step. Each step begins when everything that the previous one posted is complete.
class Served {
 public:
  Served(Fabric& fabric, const LinkPlan& plan)
      : fabric_(fabric), is_latency_(plan.test == LinkTest::latency), peer_(plan.source), buffer_(fabric, plan) {
    await_block();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  /// Continues as far as possible.
  void advance() {
    while (next_ != nullptr && fabric_.received(peer_) >= received_ && fabric_.sent(peer_) >= sent_) (this->*next_)();
  }
  bool is_over() const { return is_over_; }
  /// True once the source has warmed up and waits for the other sources to do so.
  bool is_at_start() const { return next_ == nullptr && !is_over_ && fabric_.sent(peer_) >= sent_; }
  void start() {
    before_ = fabric_.received(peer_);
    asked_ = 0;
    tell(0);
    await_block();
  }
  /// Bytes of messages since the start, excluding the announcements of blocks.
  double received_bytes() const {
    const auto messages = static_cast<double>(fabric_.received(peer_) - before_) - asked_;
    return std::max(messages, 0.0) * static_cast<double>(buffer_.size()) / static_cast<double>(buffer_.pieces());
  }
  int peer() const { return peer_; }
  std::uint64_t complete() const { return fabric_.sent(peer_) + fabric_.received(peer_); }

 private:
  using Step = void (Served::*)();

  void await_block() {
    received_ = fabric_.receive(peer_, {reinterpret_cast<std::byte*>(&block_), sizeof block_});
    ++asked_;
    next_ = &Served::begin_block;
  }
  void begin_block() {
    if (block_.kind != LinkBlock::Kind::samples) {
      next_ = nullptr;
      is_over_ = block_.kind == LinkBlock::Kind::end;
      return;
    }
    left_ = block_.samples;
    buffer_.poison();
    tell(0);
    begin_sample();
  }
  void begin_sample() {
    messages_left_ = block_.messages;
    next_ = &Served::receive_some;
  }
  /// Posts a limited number of receives, enough to keep the wire busy.
  void receive_some() {
    constexpr int most_posted = 64;
    const int some = std::min(most_posted, messages_left_);
    for (int i = 0; i < some; ++i) received_ = buffer_.post_receive(peer_);
    messages_left_ -= some;
    if (messages_left_ == 0) next_ = &Served::answer;
  }
  void answer() {
    if (is_latency_) {
      sent_ = buffer_.post_send(peer_);
    } else {
      tell(1);
    }
    if (--left_ > 0) return begin_sample();
    next_ = &Served::report;
  }
  void report() {
    tell(static_cast<double>(buffer_.count_wrong()));
    await_block();
  }

  void tell(double value) {
    told_ = value;
    sent_ = fabric_.send(peer_, std::as_bytes(std::span(&told_, 1)));
  }

  Fabric& fabric_;
  bool is_latency_;
  int peer_;
  LinkBuffer buffer_;
  Step next_ = nullptr;
  std::uint64_t received_ = 0, sent_ = 0;  ///< numbers of the last posted messages
  LinkBlock block_;
  double told_ = 0;
  int left_ = 0, messages_left_ = 0;  ///< samples of the block, messages of the sample
  std::uint64_t before_ = 0;          ///< messages at the start
  double asked_ = 0;                  ///< announcements of blocks since then
  bool is_over_ = false;
};

}  // namespace

double serve_links(Fabric& fabric, const std::vector<LinkPlan>& plans) {
  std::vector<std::unique_ptr<Served>> all;
  for (const auto& plan : plans) all.push_back(std::make_unique<Served>(fabric, plan));
  const auto timeout = plans.front().time.timeout;
  auto deadline = Deadline::after(timeout);
  double start_us = 0, received_GBps = 0;
  for (std::uint64_t before = 0;;) {
    std::uint64_t complete = 0;
    bool all_are_over = true, any_is_over = false;
    const Served* awaited = nullptr;  // a source that is still busy, for which the others may wait
    for (const auto& each : all) {
      each->advance();
      complete += each->complete();
      all_are_over &= each->is_over();
      any_is_over |= each->is_over();
      if (awaited == nullptr && !each->is_over() && !each->is_at_start()) awaited = each.get();
    }
    if (any_is_over && received_GBps == 0) {
      double bytes = 0;
      for (const auto& each : all) bytes += each->received_bytes();
      received_GBps = bytes / (now_us() - start_us) / bytes_per_us_per_GBps;
    }
    if (all_are_over) return received_GBps;
    if (awaited == nullptr) {
      start_us = now_us();
      for (const auto& each : all) {
        if (each->is_at_start()) each->start();
      }
      continue;
    }
    if (complete != before) {
      before = complete;
      deadline = Deadline::after(timeout);
    } else if (deadline.passed()) {
      throw TimedOut("timed out waiting for " + fabric.describe(awaited->peer()));
    }
    fabric.progress(deadline);
  }
}

}  // namespace ringmark

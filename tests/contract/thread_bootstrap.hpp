// Bootstrap between threads of one process, for tests.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "transports/bootstrap.hpp"

namespace ringmark::testing_support {

class ThreadBootstrap final : public Bootstrap {
 public:
  /// The state that the ranks of one group share.
  struct Meeting {
    explicit Meeting(int ranks) : size(ranks), parts(static_cast<std::size_t>(ranks)) {}
    int size;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> parts, complete;
    int arrived = 0;
    std::uint64_t round = 0;
  };

  ThreadBootstrap(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}

  std::string_view launcher() const override { return "threads"; }
  int rank() const override { return rank_; }
  int size() const override { return meeting_->size; }
  std::vector<std::string> all_gather(std::string_view mine) override {
    std::unique_lock lock(meeting_->mutex);
    const auto round = meeting_->round;
    meeting_->parts[static_cast<std::size_t>(rank_)] = mine;
    if (++meeting_->arrived == meeting_->size) {
      meeting_->arrived = 0;
      meeting_->complete = meeting_->parts;
      ++meeting_->round;
      meeting_->changed.notify_all();
    } else {
      meeting_->changed.wait(lock, [&] { return meeting_->round != round; });
    }
    return meeting_->complete;
  }
  void barrier() override { all_gather(""); }
  void finish(int) override {}

 private:
  std::shared_ptr<Meeting> meeting_;
  int rank_;
};

}  // namespace ringmark::testing_support

#include "base/queue.hpp"

#include <algorithm>
#include <deque>
#include <random>

#include <gtest/gtest.h>

namespace ringmark {
namespace {

/// Its entries have no default constructor, as those of streams.
struct Entry {
  explicit Entry(int its_number) : number(its_number) {}
  int number;
};

/// A queue beside the standard library's, with numbers that never repeat.
class QueueTest : public testing::Test {
 protected:
  void push(int entries) {
    for (int i = 0; i < entries; ++i) {
      queue_.push_back(Entry(next_));
      expected_.push_back(next_++);
    }
  }
  void pop(int entries) {
    for (int i = 0; i < entries; ++i) {
      queue_.pop_front();
      expected_.pop_front();
    }
  }
  void expect_same() const {
    ASSERT_EQ(queue_.size(), expected_.size());
    EXPECT_EQ(queue_.empty(), expected_.empty());
    for (std::size_t i = 0; i < expected_.size(); ++i) ASSERT_EQ(queue_[i].number, expected_[i]) << i;
    if (!expected_.empty()) {
      EXPECT_EQ(queue_.front().number, expected_.front());
    }
  }

  Queue<Entry> queue_;
  std::deque<int> expected_;
  int next_ = 0;
};

TEST_F(QueueTest, wraps_around_without_growing) {
  push(40);
  for (int round = 0; round < 10; ++round) {
    pop(30);
    push(30);
    expect_same();
  }
  pop(40);
  expect_same();
}

TEST_F(QueueTest, grows_while_it_is_wrapped) {
  push(64);
  pop(50);
  push(50);  // full, and begins at slot 50
  expect_same();
  push(1);
  expect_same();
  pop(20);
  push(500);
  expect_same();
}

TEST_F(QueueTest, keeps_the_order_under_any_use) {
  std::mt19937 random(1);
  for (int step = 0; step < 2000; ++step) {
    if (random() % 2 == 0) {
      push(static_cast<int>(random() % 50));
    } else {
      pop(static_cast<int>(std::min<std::size_t>(random() % 60, expected_.size())));
    }
    ASSERT_NO_FATAL_FAILURE(expect_same());
  }
}

}  // namespace
}  // namespace ringmark

// Where a captured process leaves its calls: a file that is mapped, so that what was written stays whatever becomes of
// the process. It lives in foreign programs: it throws nothing, and needs the C library alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace ringmark::capture {

/// A line that is being made. Too long a line is cut.
class Line {
 public:
  Line& text(const char* words);
  Line& number(unsigned long long value);
  Line& signed_number(long long value);
  Line& hex(unsigned long long value);
  /// Microseconds with three digits behind the point.
  Line& microseconds(std::uint64_t nanoseconds);

  const char* data() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t most_bytes = 512;
  char bytes_[most_bytes];
  std::size_t size_ = 0;
};

/// One of a process; a child that was forked makes one of its own once it has something to say.
class CaptureFile {
 public:
  /// Threads may call it together. A full disk or the limit (RINGMARK_CAPTURE_MB, 1024) ends the recording with a
  /// message, and nothing else.
  void add(const Line& line);
  /// Cuts what was reserved and not used. Nothing is recorded afterwards.
  void close();

  void before_fork() { pthread_mutex_lock(&mutex_); }
  void after_fork_in_parent() { pthread_mutex_unlock(&mutex_); }
  void after_fork_in_child();

 private:
  bool open();
  bool reserve(std::size_t bytes);
  void give_up(const char* what, const char* why);

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  enum class State { unopened, open, closed } state_ = State::unopened;
  int fd_ = -1;
  char* bytes_ = nullptr;
  std::size_t used_ = 0, reserved_ = 0, limit_ = 0;
};

}  // namespace ringmark::capture

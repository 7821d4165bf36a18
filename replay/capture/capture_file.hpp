// The file in which a captured process records its calls. It is memory-mapped, so records survive however the process
// ends. It runs inside foreign programs: it throws nothing and needs only the C library.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace ringmark::capture {

/// Builds a line; a line that is too long is truncated.
class Line {
 public:
  Line& text(const char* words);
  Line& number(unsigned long long value);
  Line& signed_number(long long value);
  Line& hex(unsigned long long value);
  /// Appends microseconds with three decimals.
  Line& microseconds(std::uint64_t nanoseconds);

  const char* data() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t most_bytes = 512;
  char bytes_[most_bytes];
  std::size_t size_ = 0;
};

/// One file per process; a forked child makes its own at its first record.
class CaptureFile {
 public:
  /// Thread-safe. A full disk or the limit (RINGMARK_CAPTURE_MB, 1024) only ends the recording, with a message.
  void add(const Line& line);
  /// Truncates the file to its records. Nothing is recorded afterwards.
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

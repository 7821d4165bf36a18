// Numbers for pointers, since NCCL may reuse an address for another object.
#pragma once

#include <pthread.h>

namespace ringmark::capture {

/// Thread-safe. Needs no constructor at run time.
class PointerNumbers {
 public:
  /// The number of a pointer; a new pointer gets a new number.
  int of(const void* pointer) {
    pthread_mutex_lock(&mutex_);
    int found = -1;
    for (int i = 0; i < count_ && found < 0; ++i) {
      if (pointers_[i] == pointer) found = numbers_[i];
    }
    if (found < 0) {
      found = next_++;
      // If all slots are taken, the oldest pointer is evicted; it gets a new number if it comes back.
      int place = 0;
      while (place < count_ && pointers_[place] != nullptr) ++place;
      if (place == count_) place = count_ < most ? count_++ : found % most;
      pointers_[place] = pointer;
      numbers_[place] = found;
    }
    pthread_mutex_unlock(&mutex_);
    return found;
  }
  void forget(const void* pointer) {
    pthread_mutex_lock(&mutex_);
    for (int i = 0; i < count_; ++i) {
      if (pointers_[i] == pointer) pointers_[i] = nullptr;
    }
    pthread_mutex_unlock(&mutex_);
  }

  pthread_mutex_t& mutex() { return mutex_; }

 private:
  static constexpr int most = 256;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  const void* pointers_[most] = {};
  int numbers_[most] = {};
  int count_ = 0, next_ = 0;
};

}  // namespace ringmark::capture

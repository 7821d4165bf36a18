// The state of one message being received, in pieces of any length.
#pragma once

#include "transports/fabric/fabric.hpp"

namespace ringmark {

class Delivery {
 public:
  /// `memory` is where the target of a message that does not reduce is.
  explicit Delivery(const Incoming& incoming, const Memory& memory = host_memory())
      : incoming_(incoming), memory_(&memory) {}

  std::size_t missing() const { return incoming_.bytes - done_; }
  bool reduces() const { return static_cast<bool>(incoming_.reduction); }

  /// For a message that does not reduce: the target of its next bytes.
  std::byte* next() { return incoming_.to + done_; }
  /// Counts bytes written directly to next().
  void skip(std::size_t bytes) { done_ += bytes; }

  /// Consumes `bytes` from a buffer, at most missing(). A partial element is kept until the rest arrives.
  void take(const std::byte* from, std::size_t bytes) {
    if (!reduces()) {
      memory_->copy(next(), from, bytes);
      skip(bytes);
      return;
    }
    const std::size_t element = incoming_.reduction.element_bytes;
    while (partial_bytes_ > 0 && bytes > 0) {
      partial_[partial_bytes_++] = *from++;
      --bytes;
      ++done_;
      if (partial_bytes_ == element) {
        partial_bytes_ = 0;
        reduce(partial_, done_ - element, 1);
      }
    }
    const std::size_t whole = bytes / element;
    if (whole > 0) reduce(from, done_, whole);
    for (std::size_t i = whole * element; i < bytes; ++i) partial_[partial_bytes_++] = from[i];
    done_ += bytes;
  }

 private:
  void reduce(const std::byte* from, std::size_t offset, std::size_t elements) {
    incoming_.reduction(incoming_.to + offset, incoming_.local + offset, from, elements);
  }

  Incoming incoming_;
  const Memory* memory_;
  std::size_t done_ = 0;
  std::byte partial_[8];
  std::size_t partial_bytes_ = 0;
};

}  // namespace ringmark

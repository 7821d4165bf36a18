// Marks on a stream: a ticket is done once everything enqueued before its mark has run.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "transports/communicator.hpp"
#include "transports/memory/cuda/stream.hpp"

namespace ringmark {

/// Events are reused, since creating one is slow. Not thread-safe.
class StreamMarks {
 public:
  StreamMarks(const CudaApi& cuda, CudaStream& stream) : cuda_(cuda), stream_(stream) {}

  Ticket mark();
  bool is_over(Ticket ticket);
  /// True once all marks are done.
  bool are_over() { return is_over({last_}); }
  /// The number of the oldest mark that was not done when last checked; 0 if there is none.
  std::uint64_t oldest() const { return under_way_.empty() ? 0 : under_way_.front().number; }

 private:
  struct Mark {
    std::uint64_t number;
    CudaEvent event;
  };
  const CudaApi& cuda_;
  CudaStream& stream_;
  std::vector<CudaEvent> spare_;
  std::deque<Mark> under_way_;
  std::uint64_t last_ = 0;
};

}  // namespace ringmark

// CUDA streams and events.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "transports/memory/cuda/driver.hpp"

namespace ringmark {

/// The driver's text for an error.
std::string cuda_words(const CudaApi& api, cuda::Result error);
/// Throws TransportError, "WHAT failed: …", unless the result is success.
void require_cuda(const CudaApi& api, cuda::Result result, std::string_view what);

/// Marks a position in a stream. `api` must outlive it.
class CudaEvent {
 public:
  /// An event without timing costs less.
  CudaEvent(const CudaApi& api, bool is_timed);
  CudaEvent(CudaEvent&& other) noexcept : api_(other.api_), event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~CudaEvent();

  cuda::Event get() const { return event_; }
  /// True once all work enqueued before the event is done. Throws TransportError if that work failed.
  bool is_over() const;
  /// Measured on the device's clock; both events must be timed and complete.
  double us_since(const CudaEvent& begin) const;

 private:
  const CudaApi* api_;
  cuda::Event event_ = nullptr;
};

/// Independent of the default stream. `api` and the current context must outlive it.
class CudaStream {
 public:
  explicit CudaStream(const CudaApi& api);
  CudaStream(CudaStream&& other) noexcept : api_(other.api_), stream_(std::exchange(other.stream_, nullptr)) {}
  CudaStream& operator=(CudaStream&&) = delete;
  ~CudaStream();

  cuda::Stream get() const { return stream_; }
  /// True once all enqueued work is done. Throws TransportError if that work failed.
  bool is_idle() const;
  /// Records the event after all work enqueued so far.
  void record(const CudaEvent& event) const;

 private:
  const CudaApi* api_;
  cuda::Stream stream_ = nullptr;
};

}  // namespace ringmark

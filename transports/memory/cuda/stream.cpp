#include "transports/memory/cuda/stream.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

bool is_done(const CudaApi& api, cuda::Result queried) {
  if (queried == cuda::not_ready) return false;
  require_cuda(api, queried, "work on the GPU");
  return true;
}

}  // namespace

std::string cuda_words(const CudaApi& api, cuda::Result error) {
  const char* text = nullptr;
  if (api.get_error_string(error, &text) != 0 || text == nullptr) return fmt::format("error {}", error);
  return text;
}

void require_cuda(const CudaApi& api, cuda::Result result, std::string_view what) {
  if (result != 0) throw TransportError(fmt::format("{} failed: {}", what, cuda_words(api, result)));
}

CudaEvent::CudaEvent(const CudaApi& api, bool is_timed) : api_(&api) {
  require_cuda(api, api.event_create(&event_, is_timed ? 0 : cuda::event_without_timing), "cuEventCreate");
}

CudaEvent::~CudaEvent() {
  if (event_ != nullptr) api_->event_destroy(event_);
}

bool CudaEvent::is_over() const { return is_done(*api_, api_->event_query(event_)); }

double CudaEvent::us_since(const CudaEvent& begin) const {
  float milliseconds = 0;
  require_cuda(*api_, api_->event_elapsed_time(&milliseconds, begin.event_, event_), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1000;
}

CudaStream::CudaStream(const CudaApi& api) : api_(&api) {
  require_cuda(api, api.stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate");
}

CudaStream::~CudaStream() {
  if (stream_ != nullptr) api_->stream_destroy(stream_);
}

bool CudaStream::is_idle() const { return is_done(*api_, api_->stream_query(stream_)); }

void CudaStream::record(const CudaEvent& event) const {
  require_cuda(*api_, api_->event_record(event.get(), stream_), "cuEventRecord");
}

}  // namespace ringmark

#include "replay/run/gpu_compute.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/system/deadline.hpp"

namespace ringmark::replay {

const char* const spin_ptx = R"ptx(
.version 6.0
.target sm_60
.address_size 64
.visible .entry spin(.param .u64 nanoseconds)
{
  .reg .pred %is_early;
  .reg .b64 %length, %begin, %now, %passed;
  ld.param.u64 %length, [nanoseconds];
  mov.u64 %begin, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %passed, %now, %begin;
  setp.lt.u64 %is_early, %passed, %length;
  @%is_early bra again;
  ret;
}
)ptx";

GpuCompute::GpuCompute(const CudaMemory& gpu, std::size_t streams)
    : api_(gpu.api()), multiprocessors_(gpu.multiprocessors()) {
  if (const auto error = api_.module_load_data(&module_, spin_ptx); error != 0)
    throw Unusable(fmt::format("{} rejects the kernel that stands in for computation: {}", gpu.describe(),
                               cuda_words(api_, error)));
  require_cuda(api_, api_.module_get_function(&spin_, module_, "spin"), "cuModuleGetFunction");
  for (std::size_t i = 0; i < streams; ++i) lines_.push_back({CudaStream(api_), CudaEvent(api_, false)});
  constexpr int launches = 50;
  std::vector<double> times_us;
  for (int i = 0; i < launches; ++i) {
    const auto start = Clock::now();
    launch(lines_.front(), 0);
    while (!is_over(0)) {
    }
    times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  launch_us_ = *std::min_element(times_us.begin(), times_us.end());  // the time on a GPU without other work
}

GpuCompute::~GpuCompute() {
  if (module_ != nullptr) api_.module_unload(module_);
}

void GpuCompute::begin(int stream, double us) {
  const double kernel_us = std::max(0.0, us - launch_us_);
  launch(lines_[static_cast<std::size_t>(stream)], static_cast<unsigned long long>(std::llround(kernel_us * 1000)));
}

bool GpuCompute::is_over(int stream) const { return lines_[static_cast<std::size_t>(stream)].end.is_over(); }

void GpuCompute::launch(const Line& line, unsigned long long nanoseconds) const {
  void* parameters[] = {&nanoseconds};
  const auto blocks = static_cast<unsigned>(multiprocessors_);
  constexpr unsigned threads = 128;
  require_cuda(api_, api_.launch_kernel(spin_, blocks, 1, 1, threads, 1, 1, 0, line.stream.get(), parameters, nullptr),
               "cuLaunchKernel");
  line.stream.record(line.end);
}

}  // namespace ringmark::replay

// Computation of a step on a GPU: kernels that spin for as long as the step's would run, beside NCCL's, on every
// multiprocessor and with room for others on each.
#pragma once

#include <vector>

#include "transports/memory/cuda/cuda_memory.hpp"
#include "transports/memory/cuda/stream.hpp"

namespace ringmark::replay {

/// The kernel that stands for computation, "spin", of nanoseconds: it looks at the GPU's own clock until they have
/// passed. From Pascal on.
extern const char* const spin_ptx;

class GpuCompute {
 public:
  /// One CUDA stream for each of the step's. Loads the kernel (PTX that the driver compiles) and measures what a launch
  /// takes. Throws Unusable, TransportError.
  GpuCompute(const CudaMemory& gpu, std::size_t streams);
  ~GpuCompute();
  GpuCompute(const GpuCompute&) = delete;
  GpuCompute& operator=(const GpuCompute&) = delete;

  /// The stream must be idle: a step computes one thing at a time on it. It ends about `us` from now, what a launch
  /// takes included.
  void begin(int stream, double us);
  bool is_over(int stream) const;

 private:
  struct Line {
    CudaStream stream;
    CudaEvent end;
  };
  void launch(const Line& line, unsigned long long nanoseconds) const;

  const CudaApi& api_;
  int multiprocessors_;
  cuda::Module module_ = nullptr;
  cuda::Function spin_ = nullptr;
  std::vector<Line> lines_;
  double launch_us_ = 0;  ///< until its end is noticed, of a kernel that does nothing
};

}  // namespace ringmark::replay

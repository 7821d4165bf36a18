// Simulates a step's computation on a GPU: kernels spin for as long as the step's kernels would run. They occupy every
// multiprocessor, but leave room for NCCL's kernels.
#pragma once

#include <vector>

#include "transports/memory/cuda/cuda_memory.hpp"
#include "transports/memory/cuda/stream.hpp"

namespace ringmark::replay {

/// PTX of the kernel "spin", which stands in for computation: it reads the GPU's clock until the given nanoseconds have
/// passed. Runs on Pascal and later GPUs.
extern const char* const spin_ptx;

class GpuCompute {
 public:
  /// Makes one CUDA stream for each stream of the step, loads the kernel (the driver compiles its PTX) and measures the
  /// time of a launch. Throws Unusable, TransportError.
  GpuCompute(const CudaMemory& gpu, std::size_t streams);
  ~GpuCompute();
  GpuCompute(const GpuCompute&) = delete;
  GpuCompute& operator=(const GpuCompute&) = delete;

  /// Starts a computation that ends about `us` from now, including the launch. The stream must be idle.
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
  double launch_us_ = 0;  ///< from launching an empty kernel until its end is noticed
};

}  // namespace ringmark::replay

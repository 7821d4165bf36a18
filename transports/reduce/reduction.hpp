// Element-wise reductions, vectorised for the machine they run on.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/datatype.hpp"

namespace ringmark {

/// destination[i] = a[i] op b[i]. The buffers need no alignment; destination may be a or b, and no other overlap.
/// Integers wrap around; smaller floats are combined in float32 and rounded to nearest even, where those of 8 bits stay
/// finite as they do in NVIDIA's conversions; min and max of a NaN are a NaN. `divisor` is used by the averaging
/// kernels alone.
using ReduceKernel = void (*)(void* destination, const void* a, const void* b, std::size_t elements, int divisor);

/// A kernel with what it needs to be called.
struct Reduction {
  ReduceKernel kernel = nullptr;
  std::size_t element_bytes = 1;
  int divisor = 1;

  explicit operator bool() const { return kernel != nullptr; }
  void operator()(void* destination, const void* a, const void* b, std::size_t elements) const {
    kernel(destination, a, b, elements, divisor);
  }
};

/// The reduction for a step of a collective over `ranks` ranks. avg is a sum until `last`, which divides as well:
/// towards zero for integers, in float32 for the smaller floats.
Reduction reduction_for(DataType type, ReduceOp op, int ranks, bool last);

/// The instruction sets that this binary has kernels for and this machine can run, best first:
/// "avx512_bf16", "avx512", "avx2", "sse2".
std::vector<std::string_view> usable_instruction_sets();
/// The same reduction from a named one of them, for tests and benchmarks.
Reduction reduction_for(DataType type, ReduceOp op, int ranks, bool last, std::string_view instruction_set);

}  // namespace ringmark

// Element-wise reductions, vectorised for the machine they run on.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/datatype.hpp"

namespace ringmark {

/// destination[i] = a[i] op b[i]. The buffers need no alignment; `destination` may equal `a` or `b` but not overlap
/// them otherwise. Integers wrap around. Smaller floats are combined in float32 and rounded to nearest even; 8-bit
/// floats stay finite, as in NVIDIA's conversions. min and max of a NaN are a NaN. Only the averaging kernels use
/// `divisor`.
using ReduceKernel = void (*)(void* destination, const void* a, const void* b, std::size_t elements, int divisor);

/// A kernel with its element size and divisor.
struct Reduction {
  ReduceKernel kernel = nullptr;
  std::size_t element_bytes = 1;
  int divisor = 1;

  explicit operator bool() const { return kernel != nullptr; }
  void operator()(void* destination, const void* a, const void* b, std::size_t elements) const {
    kernel(destination, a, b, elements, divisor);
  }
};

/// The reduction for a step of a collective over `ranks` ranks. `avg` sums, and divides in the `last` reduction:
/// towards zero for integers, in float32 for the smaller floats.
Reduction reduction_for(DataType type, ReduceOp op, int ranks, bool last);

/// The instruction sets for which this binary has kernels and which this machine can run, best first:
/// "avx512_bf16", "avx512", "avx2" and "sse2" on x86-64, "neon" on arm64, "baseline" elsewhere.
std::vector<std::string_view> usable_instruction_sets();
/// The same reduction with the kernels of a named instruction set, for tests and benchmarks.
Reduction reduction_for(DataType type, ReduceOp op, int ranks, bool last, std::string_view instruction_set);

}  // namespace ringmark

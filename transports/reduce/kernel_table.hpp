// The table of kernels that each instruction set's translation unit defines.
#pragma once

namespace ringmark {

/// Rows in the order of DataType; columns sum, prod, min, max, and sum-then-divide.
struct KernelTable {
  static constexpr int types = 12;
  static constexpr int operations = 5;
  using Kernel = void (*)(void*, const void*, const void*, unsigned long, int);
  Kernel kernels[types][operations];
};

extern const KernelTable kernels_baseline;  ///< for every processor of the architecture
extern const KernelTable kernels_avx2;
extern const KernelTable kernels_avx512;
extern const KernelTable kernels_avx512_bf16;  ///< avx512 with an instruction that rounds to bfloat16

}  // namespace ringmark

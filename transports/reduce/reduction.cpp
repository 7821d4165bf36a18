#include "transports/reduce/reduction.hpp"

#include <algorithm>
#include <span>

#include "transports/reduce/kernel_table.hpp"

namespace ringmark {
namespace {

struct InstructionSet {
  std::string_view name;
  const KernelTable* table;
  bool usable;
};

#if defined(__x86_64__)
constexpr std::string_view baseline_name = "sse2";
#elif defined(__aarch64__)
constexpr std::string_view baseline_name = "neon";
#else
constexpr std::string_view baseline_name = "baseline";
#endif

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> all;
#ifdef __x86_64__
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    // Every processor with AVX2 also has F16C, which clang 14's __builtin_cpu_supports cannot check.
    const bool bf16 = avx512 && __builtin_cpu_supports("avx512bf16");
    all.push_back({"avx512_bf16", &kernels_avx512_bf16, bf16});
    all.push_back({"avx512", &kernels_avx512, avx512});
    all.push_back({"avx2", &kernels_avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")});
#endif
    all.push_back({baseline_name, &kernels_baseline, true});
    return all;
  }();
  return sets;
}

/// How many instruction sets at the end of the list have narrow registers: avx2 and sse2, or only the baseline.
#ifdef __x86_64__
constexpr std::size_t narrow_sets = 2;
#else
constexpr std::size_t narrow_sets = 1;
#endif

const KernelTable& best_of(std::span<const InstructionSet> sets) {
  return *std::find_if(sets.begin(), sets.end(), [](const auto& set) { return set.usable; })->table;
}

Reduction reduction_from(const KernelTable& table, DataType type, ReduceOp op, int ranks, bool last) {
  constexpr std::size_t sum_then_divide = 4;
  std::size_t column = static_cast<std::size_t>(op);
  if (op == ReduceOp::avg) column = last ? sum_then_divide : static_cast<std::size_t>(ReduceOp::sum);
  return {table.kernels[static_cast<std::size_t>(type)][column], size_bytes(type), ranks};
}

}  // namespace

std::vector<std::string_view> usable_instruction_sets() {
  std::vector<std::string_view> names;
  for (const auto& set : instruction_sets()) {
    if (set.usable) names.push_back(set.name);
  }
  return names;
}

Reduction reduction_for(DataType type, ReduceOp op, int ranks, bool last) {
  static const KernelTable& best = best_of(instruction_sets());
  // Conversions of float16 are faster in registers of half the width (Zen 4: by a fifth, for data in the second-level
  // cache).
  static const KernelTable& best_narrow = best_of(std::span(instruction_sets()).last(narrow_sets));
  return reduction_from(type == DataType::float16 ? best_narrow : best, type, op, ranks, last);
}

Reduction reduction_for(DataType type, ReduceOp op, int ranks, bool last, std::string_view instruction_set) {
  for (const auto& set : instruction_sets()) {
    if (set.usable && set.name == instruction_set) return reduction_from(*set.table, type, op, ranks, last);
  }
  return {};
}

}  // namespace ringmark

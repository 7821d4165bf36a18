// Input data whose result is known exactly, and the comparison with it: wrong means "not equal", with no tolerance.
//
// For sum, avg and prod, at most 8 ranks contribute to an element and the others pass the neutral element; which ones
// contribute rotates with the element. So a sum stays below 128 (for 8-bit floats below 9) and a product below 256,
// which is exact in every type and order. min and max see a value from every rank. avg divides an exact sum once.
// Values repeat after a prime number of elements, so that a misplaced block is noticed, and a whole period is compared
// at a time.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/operation.hpp"

namespace ringmark {

/// False if an average is rounded: with `rounds_averages`, ranks multiply by 1 / ranks, which is exact only for powers
/// of two.
bool has_exact_result(const Operation& operation, int ranks, bool rounds_averages);

class Verifier {
 public:
  Verifier(const Operation& operation, int rank, int ranks);

  /// Writes this rank's input, layout_of(operation, ranks, rank).send_bytes long.
  void fill(void* send) const;
  /// The number of wrong elements in the result; 0 for a rank that receives none (reduce and gather, on ranks other
  /// than the root).
  std::size_t count_wrong(const void* recv) const;

  /// The number of elements after which the data repeat.
  static constexpr std::size_t period = 4093;

 private:
  /// Elements [first, first + elements) of a vector.
  struct Range {
    std::size_t first, elements;
  };
  /// The bytes of a range's elements, at most one period of them.
  using Values = std::vector<std::byte>;

  Values input(int from, int to, Range range) const;
  Values result(Range range) const;
  template <class ValueAt>
  Values values_of(Range range, ValueAt value_at) const;
  static void write(std::byte* to, std::size_t bytes, const Values& values);
  std::size_t count_wrong_parts(const std::byte* recv) const;
  std::size_t differing(const std::byte* data, std::size_t elements, const Values& values) const;

  Operation operation_;
  int rank_, ranks_;
};

/// The bytes of `value` in a type, rounded to nearest even; `to` has room for size_bytes(type). For integers, the value
/// must be whole and fit.
void encode(DataType type, double value, std::byte* to);

}  // namespace ringmark

// Every kernel of every instruction set that runs here, against arithmetic done one element at a time.
#include "transports/reduce/reduction.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "bench/harness/verify.hpp"

namespace ringmark {
namespace {

using Bytes = std::vector<std::byte>;

class Kernels : public testing::TestWithParam<std::string_view> {};

/// Elements of small whole values, exact in every type.
Bytes values(DataType type, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count * size_bytes(type));
  for (std::size_t i = 0; i < count; ++i)
    encode(type, static_cast<double>(random() % (is_float8(type) ? 9 : 11)), &bytes[i * size_bytes(type)]);
  return bytes;
}

double decode(DataType type, const std::byte* from) {
  // The values in these tests are small whole numbers or their averages: found by trying.
  std::byte candidate[8];
  for (int value = 0; value <= 121; ++value) {
    encode(type, value, candidate);
    if (std::memcmp(candidate, from, size_bytes(type)) == 0) return value;
  }
  return -1;
}

double apply(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::prod:
      return a * b;
    case ReduceOp::min:
      return std::min(a, b);
    case ReduceOp::max:
      return std::max(a, b);
    case ReduceOp::sum:
    case ReduceOp::avg:
      break;
  }
  return a + b;
}

TEST_P(Kernels, are_exact_for_every_length_and_alias) {
  for (const auto type : all_datatypes()) {
    for (const auto op : all_reduce_ops()) {
      const auto reduction = reduction_for(type, op, 2, false, GetParam());
      for (const std::size_t count : {0, 1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 100}) {
        const Bytes a = values(type, count, 1), b = values(type, count, 2);
        Bytes expected(a.size());
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t at = i * size_bytes(type);
          encode(type, apply(op, decode(type, &a[at]), decode(type, &b[at])), &expected[at]);
        }
        Bytes separate(a.size() + 1, std::byte{0x77}), onto_a = a, onto_b = b;
        reduction(separate.data(), a.data(), b.data(), count);
        reduction(onto_a.data(), onto_a.data(), b.data(), count);
        reduction(onto_b.data(), a.data(), onto_b.data(), count);
        EXPECT_EQ(separate.back(), std::byte{0x77}) << "written beyond the end";
        separate.pop_back();
        EXPECT_EQ(separate, expected) << name(type) << " " << name(op) << " " << count;
        EXPECT_EQ(onto_a, expected) << name(type) << " " << name(op) << " " << count;
        EXPECT_EQ(onto_b, expected) << name(type) << " " << name(op) << " " << count;
      }
    }
  }
}

TEST_P(Kernels, last_step_of_avg_divides) {
  for (const auto type : all_datatypes()) {
    for (const int ranks : {2, 3, 7, 1000}) {
      const std::size_t count = 50;
      const Bytes a = values(type, count, 3), b = values(type, count, 4);
      Bytes result(a.size()), expected(a.size());
      reduction_for(type, ReduceOp::avg, ranks, true, GetParam())(result.data(), a.data(), b.data(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * size_bytes(type);
        const double sum = decode(type, &a[at]) + decode(type, &b[at]);
        const double quotient = is_integer(type)            ? std::trunc(sum / ranks)
                                : type == DataType::float64 ? sum / ranks
                                                            : static_cast<float>(sum) / static_cast<float>(ranks);
        encode(type, quotient, &expected[at]);
      }
      EXPECT_EQ(result, expected) << name(type) << " over " << ranks;
    }
  }
}

TEST_P(Kernels, integers_wrap_around) {
  const std::vector<std::int8_t> a(40, 127), b(40, 1);
  std::vector<std::int8_t> result(40);
  reduction_for(DataType::int8, ReduceOp::sum, 2, false, GetParam())(result.data(), a.data(), b.data(), 40);
  EXPECT_EQ(result, std::vector<std::int8_t>(40, -128));
}

/// All 65536 values of a 16-bit type, added to zero and to themselves.
TEST_P(Kernels, sixteen_bit_floats_round_as_they_must) {
  std::vector<std::uint16_t> all(65536), zero(65536, 0), same(65536), sum(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const auto type : {DataType::float16, DataType::bfloat16}) {
    const unsigned infinity = type == DataType::float16 ? 0x7c00 : 0x7f80;
    const auto reduction = reduction_for(type, ReduceOp::sum, 2, false, GetParam());
    reduction(same.data(), all.data(), zero.data(), all.size());
    reduction(sum.data(), all.data(), all.data(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const unsigned magnitude = all[i] & 0x7fffU;
      if (magnitude > infinity) {
        EXPECT_GT(same[i] & 0x7fffU, infinity) << "a NaN stays one: " << i;
        continue;
      }
      EXPECT_EQ(same[i], magnitude == 0 ? 0 : all[i]) << name(type) << " " << i;
      // Doubling a normal number raises its exponent by one, and a subnormal one shifts it.
      const unsigned exponent_step = type == DataType::float16 ? 0x400 : 0x80;
      const unsigned doubled =
          magnitude < exponent_step ? 2 * magnitude : std::min(magnitude + exponent_step, infinity);
      if (magnitude != 0) {
        EXPECT_EQ(sum[i] & 0x7fffU, doubled) << name(type) << " " << i;
      }
    }
  }
}

/// The number that eight bits stand for, as the format's definition has it.
double number_of(DataType type, unsigned bits) {
  const int mantissa_bits = type == DataType::float8_e4m3 ? 3 : 2;
  const int bias = type == DataType::float8_e4m3 ? 7 : 15;
  const unsigned magnitude = bits & 0x7fU;
  const auto mantissa = static_cast<int>(magnitude & ((1U << mantissa_bits) - 1));
  const auto exponent = static_cast<int>(magnitude >> mantissa_bits);
  const int significand = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
  const double value = std::ldexp(significand, std::max(exponent, 1) - bias - mantissa_bits);
  const bool has_infinity = type == DataType::float8_e5m2;
  if (has_infinity && magnitude >= 0x7c) return magnitude == 0x7c ? (bits >= 0x80 ? -INFINITY : INFINITY) : NAN;
  if (!has_infinity && magnitude == 0x7f) return NAN;
  return bits >= 0x80 ? -value : value;
}

/// All pairs of values of an 8-bit type.
TEST_P(Kernels, eight_bit_floats_round_as_they_must_and_stay_finite) {
  std::vector<std::uint8_t> a, b;
  for (unsigned pair = 0; pair < 65536; ++pair) {
    a.push_back(static_cast<std::uint8_t>(pair & 0xff));
    b.push_back(static_cast<std::uint8_t>(pair >> 8));
  }
  for (const auto type : {DataType::float8_e4m3, DataType::float8_e5m2}) {
    const double greatest = type == DataType::float8_e4m3 ? 448 : 57344;
    for (const auto op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max}) {
      std::vector<std::uint8_t> result(a.size());
      reduction_for(type, op, 2, false, GetParam())(result.data(), a.data(), b.data(), a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = number_of(type, a[i]), y = number_of(type, b[i]);
        const double value = std::isnan(x) || std::isnan(y) ? NAN : apply(op, x, y);
        const double got = number_of(type, result[i]);
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(got)) << name(type) << " " << name(op) << " " << x << " " << y;
          continue;
        }
        std::byte rounded;
        encode(type, std::clamp(value, -greatest, greatest), &rounded);
        ASSERT_EQ(got, number_of(type, static_cast<unsigned>(rounded)))
            << name(type) << " " << name(op) << " " << x << " " << y;
      }
    }
  }
}

TEST_P(Kernels, min_and_max_keep_a_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto op : {ReduceOp::min, ReduceOp::max}) {
    const std::vector<float> a{nan, 1}, b{1, nan};
    std::vector<float> result(2);
    reduction_for(DataType::float32, op, 2, false, GetParam())(result.data(), a.data(), b.data(), 2);
    EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1])) << name(op);
  }
}

TEST(InstructionSets, end_with_the_one_that_every_processor_has) {
#if defined(__x86_64__)
  EXPECT_EQ(usable_instruction_sets().back(), "sse2");
#elif defined(__aarch64__)
  EXPECT_EQ(usable_instruction_sets().back(), "neon");
#else
  EXPECT_EQ(usable_instruction_sets().back(), "baseline");
#endif
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Kernels, testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& entry) { return std::string(entry.param); });

}  // namespace
}  // namespace ringmark

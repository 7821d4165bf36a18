#include "bench/harness/verify.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "transports/schedules/chunk.hpp"

namespace ringmark {
namespace {

constexpr int most_contributors = 8;

template <class T>
void store(double value, std::byte* to) {
  const auto typed = static_cast<T>(value);
  std::memcpy(to, &typed, sizeof typed);
}

/// A float with the given number of exponent and mantissa bits after the sign.
std::uint16_t encode_small(double value, int exponent_bits, int mantissa_bits) {
  const auto sign = std::signbit(value) ? 1U << (exponent_bits + mantissa_bits) : 0U;
  if (value == 0) return static_cast<std::uint16_t>(sign);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = std::ilogb(value);
  exponent = std::max(exponent, 1 - bias);  // subnormal numbers share the smallest exponent
  // The significand in units of the last place, rounded by the processor's mode: to nearest even.
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(std::fabs(value), mantissa_bits - exponent)));
  // A carry out of the significand lands in the exponent field, as it should.
  const unsigned hidden = 1U << mantissa_bits;
  const unsigned field = static_cast<unsigned>(exponent + bias - 1) << mantissa_bits;
  const unsigned bits = units < hidden ? units : field + units;
  return static_cast<std::uint16_t>(sign | bits);
}

/// A rank's position in the order of contributors to an element; the first most_contributors contribute.
int place_of(int rank, int ranks, std::size_t phase) {
  const int start = static_cast<int>(phase % static_cast<std::size_t>(ranks));
  return (rank - start + ranks) % ranks;
}

double contribution(const Operation& operation, int rank, int ranks, std::size_t phase) {
  const auto mix = static_cast<unsigned>(rank) * 7U + static_cast<unsigned>(phase) * 13U;
  const int place = place_of(rank, ranks, phase);
  const bool is_signed =
      operation.type != DataType::uint8 && operation.type != DataType::uint32 && operation.type != DataType::uint64;
  switch (operation.op) {
    case ReduceOp::sum:
    case ReduceOp::avg:
      if (place >= most_contributors) return 0;
      // Uses a well-mixed bit: with the lowest bit, any two neighbours would have the same sum.
      return is_float8(operation.type) ? mix * 2654435761U >> 31U : mix % 16U;
    case ReduceOp::prod: {
      const double third = is_signed ? -1 : 3;
      // Each kind has at most three of eight places in a row, so the product is at most 2^3 × 3^3. The first place is
      // left out now and then; otherwise three ranks would have the same product everywhere.
      const auto kind = place == 0 && phase % 2 == 1 ? 0 : (static_cast<std::size_t>(place) + phase) % 3;
      return place >= most_contributors || kind == 0 ? 1 : kind == 1 ? 2 : third;
    }
    case ReduceOp::min:
    case ReduceOp::max:
      break;
  }
  return static_cast<double>(mix % 101U) - (is_signed ? 50 : 0);
}

double combine(ReduceOp op, double a, double b) {
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

double average(DataType type, double sum, int ranks) {
  if (is_integer(type)) return std::trunc(sum / ranks);
  if (type == DataType::float64) return sum / ranks;
  return static_cast<double>(static_cast<float>(sum) / static_cast<float>(ranks));
}

}  // namespace

void encode(DataType type, double value, std::byte* to) {
  switch (type) {
    case DataType::int8:
      return store<std::int8_t>(value, to);
    case DataType::uint8:
      return store<std::uint8_t>(value, to);
    case DataType::int32:
      return store<std::int32_t>(value, to);
    case DataType::uint32:
      return store<std::uint32_t>(value, to);
    case DataType::int64:
      return store<std::int64_t>(value, to);
    case DataType::uint64:
      return store<std::uint64_t>(value, to);
    case DataType::float32:
      return store<float>(value, to);
    case DataType::float64:
      return store<double>(value, to);
    case DataType::float8_e4m3:
      return store<std::uint8_t>(encode_small(value, 4, 3), to);
    case DataType::float8_e5m2:
      return store<std::uint8_t>(encode_small(value, 5, 2), to);
    case DataType::float16:
      return store<std::uint16_t>(encode_small(value, 5, 10), to);
    case DataType::bfloat16:
      return store<std::uint16_t>(encode_small(value, 8, 7), to);
  }
}

bool has_exact_result(const Operation& operation, int ranks, bool rounds_averages) {
  if (!rounds_averages || operation.op != ReduceOp::avg || !reduces(operation.collective)) return true;
  constexpr int most_ranks_e4m3 = 512;  // its smallest number is 1/512
  const bool has_share = std::has_single_bit(static_cast<unsigned>(ranks)) &&
                         (operation.type != DataType::float8_e4m3 || ranks <= most_ranks_e4m3);
  return is_integer(operation.type) || has_share;
}

Verifier::Verifier(const Operation& operation, int rank, int ranks)
    : operation_(operation), rank_(rank), ranks_(ranks) {}

/// The values that rank `from` sends; for all_to_all, those it sends to rank `to`.
Verifier::Values Verifier::input(int from, int to, Range range) const {
  return values_of(range, [&](std::size_t phase) {
    const auto moved = (static_cast<std::size_t>(from) * 7 + static_cast<std::size_t>(to) * 31 + phase * 13) % 120;
    return reduces(operation_.collective) ? contribution(operation_, from, ranks_, phase) : static_cast<double>(moved);
  });
}

Verifier::Values Verifier::result(Range range) const {
  return values_of(range, [&](std::size_t phase) {
    double value = contribution(operation_, 0, ranks_, phase);
    for (int rank = 1; rank < ranks_; ++rank) {
      value = combine(operation_.op, value, contribution(operation_, rank, ranks_, phase));
    }
    return operation_.op == ReduceOp::avg ? average(operation_.type, value, ranks_) : value;
  });
}

template <class ValueAt>
Verifier::Values Verifier::values_of(Range range, ValueAt value_at) const {
  const std::size_t element = size_bytes(operation_.type);
  Values values(std::min(range.elements, period) * element);
  for (std::size_t i = 0; i * element < values.size(); ++i) {
    encode(operation_.type, value_at((range.first + i) % period), &values[i * element]);
  }
  return values;
}

/// Fills `bytes` by repeating the values.
void Verifier::write(std::byte* to, std::size_t bytes, const Values& values) {
  for (std::size_t run; bytes > 0; to += run, bytes -= run) {
    run = std::min(bytes, values.size());
    std::memcpy(to, values.data(), run);
  }
}

/// How many elements differ from the repeated values.
std::size_t Verifier::differing(const std::byte* data, std::size_t elements, const Values& values) const {
  const std::size_t element = size_bytes(operation_.type);
  std::size_t wrong = 0;
  for (std::size_t run, bytes = elements * element; bytes > 0; data += run, bytes -= run) {
    run = std::min(bytes, values.size());
    if (std::memcmp(data, values.data(), run) == 0) continue;
    for (std::size_t at = 0; at < run; at += element) wrong += std::memcmp(data + at, &values[at], element) != 0;
  }
  return wrong;
}

void Verifier::fill(void* send) const {
  auto* to = static_cast<std::byte*>(send);
  const std::size_t element = size_bytes(operation_.type);
  if (operation_.collective == Collective::all_to_all) {
    for (int peer = 0; peer < ranks_; ++peer) {
      const auto block = sent_block(operation_, rank_, peer);
      write(to + block.offset * element, block.length * element, input(rank_, peer, {0, block.length}));
    }
  } else {
    const auto bytes = layout_of(operation_, ranks_, rank_).send_bytes;
    write(to, bytes, input(rank_, 0, {0, bytes / element}));
  }
}

std::size_t Verifier::count_wrong_parts(const std::byte* recv) const {
  const int parts = parts_of(operation_.pattern);
  std::size_t wrong = 0;
  for (int part = 0; part < parts; ++part) {
    const auto extent = chunk_of(operation_.count, parts, part);
    const int source = source_of(operation_.pattern, part, rank_, ranks_);
    wrong += differing(recv + extent.offset * size_bytes(operation_.type), extent.length,
                       input(source, 0, {extent.offset, extent.length}));
  }
  return wrong;
}

std::size_t Verifier::count_wrong(const void* recv) const {
  const auto* data = static_cast<const std::byte*>(recv);
  const std::size_t count = operation_.count;
  const auto own = sent_block(operation_, rank_, rank_);
  const Range from_start{0, count};
  const Range own_block{own.offset, own.length};
  switch (operation_.collective) {
    case Collective::all_reduce:
      return differing(data, count, result(from_start));
    case Collective::gather:
      if (rank_ != operation_.root) return 0;
      break;
    case Collective::scatter:
      return differing(data, count, input(operation_.root, 0, own_block));
    case Collective::send_recv:
      return count_wrong_parts(data);
    case Collective::reduce:
      return rank_ == operation_.root ? differing(data, count, result(from_start)) : 0;
    case Collective::reduce_scatter:
      return differing(data, own.length, result(own_block));
    case Collective::broadcast:
      return differing(data, count, input(operation_.root, 0, from_start));
    case Collective::all_gather:
    case Collective::all_to_all:
      break;
  }
  std::size_t wrong = 0;
  for (int peer = 0; peer < ranks_; ++peer) {
    const int to = operation_.collective == Collective::all_to_all ? rank_ : 0;
    const auto block = received_block(operation_, rank_, peer);
    wrong +=
        differing(data + block.offset * size_bytes(operation_.type), block.length, input(peer, to, {0, block.length}));
  }
  return wrong;
}

}  // namespace ringmark

// The element types and reductions of the collectives, with a single spelling for C++, flags, CSV and docs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace ringmark {

enum class DataType {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float8_e4m3,  ///< finite: S.1111.111 is a NaN, and there is no infinity (OCP 8-bit floating point, 2023)
  float8_e5m2,
  float16,
  bfloat16,
  float32,
  float64
};
enum class ReduceOp { sum, prod, min, max, avg };

std::span<const DataType> all_datatypes();
std::span<const ReduceOp> all_reduce_ops();

std::size_t size_bytes(DataType type);
bool is_integer(DataType type);
bool is_float8(DataType type);

std::string_view name(DataType type);
std::string_view name(ReduceOp op);

/// "float" for float32, "f8e4m3" for float8_e4m3.
std::string_view nccl_tests_name(DataType type);

/// Also accepts nccl-tests' spellings, `float` for float32, `f8e4m3` for float8_e4m3, and frameworks', `bf16`, `fp16`;
/// empty for unknown types.
std::optional<DataType> parse_datatype(std::string_view text);
std::optional<ReduceOp> parse_reduce_op(std::string_view text);

}  // namespace ringmark

#include "base/datatype.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace ringmark {
namespace {

struct TypeRow {
  DataType type;
  std::string_view name, nccl_tests;
  std::size_t bytes;
};

constexpr std::array type_table{
    TypeRow{DataType::int8, "int8", "int8", 1},
    TypeRow{DataType::uint8, "uint8", "uint8", 1},
    TypeRow{DataType::int32, "int32", "int32", 4},
    TypeRow{DataType::uint32, "uint32", "uint32", 4},
    TypeRow{DataType::int64, "int64", "int64", 8},
    TypeRow{DataType::uint64, "uint64", "uint64", 8},
    TypeRow{DataType::float8_e4m3, "float8_e4m3", "f8e4m3", 1},
    TypeRow{DataType::float8_e5m2, "float8_e5m2", "f8e5m2", 1},
    TypeRow{DataType::float16, "float16", "half", 2},
    TypeRow{DataType::bfloat16, "bfloat16", "bfloat16", 2},
    TypeRow{DataType::float32, "float32", "float", 4},
    TypeRow{DataType::float64, "float64", "double", 8},
};

/// Other names that frameworks, traces and older versions of nccl-tests use.
struct OtherName {
  std::string_view name;
  DataType type;
};
constexpr OtherName other_names[]{
    {"bf16", DataType::bfloat16},
    {"fp16", DataType::float16},
    {"f16", DataType::float16},
    {"fp32", DataType::float32},
    {"f32", DataType::float32},
    {"fp64", DataType::float64},
    {"f64", DataType::float64},
    {"fp8_e4m3", DataType::float8_e4m3},
    {"fp8_e5m2", DataType::float8_e5m2},
    {"float8_e4m3fn", DataType::float8_e4m3},
    {"char", DataType::int8},
    {"i8", DataType::int8},
    {"u8", DataType::uint8},
    {"int", DataType::int32},
    {"i32", DataType::int32},
    {"u32", DataType::uint32},
    {"i64", DataType::int64},
    {"u64", DataType::uint64},
};

constexpr auto types = [] {
  std::array<DataType, type_table.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = type_table[i].type;
  return all;
}();
/// Rows are in the order of the enumeration.
constexpr bool is_in_order = [] {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (static_cast<std::size_t>(types[i]) != i) return false;
  }
  return types.back() == DataType::float64;
}();
static_assert(is_in_order);
constexpr std::array ops{ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max, ReduceOp::avg};
constexpr std::array<std::string_view, 5> op_names{"sum", "prod", "min", "max", "avg"};

const TypeRow& row(DataType type) { return type_table[static_cast<std::size_t>(type)]; }

}  // namespace

std::span<const DataType> all_datatypes() { return types; }
std::span<const ReduceOp> all_reduce_ops() { return ops; }

std::size_t size_bytes(DataType type) { return row(type).bytes; }
bool is_integer(DataType type) { return type < DataType::float8_e4m3; }
bool is_float8(DataType type) { return type == DataType::float8_e4m3 || type == DataType::float8_e5m2; }

std::string_view name(DataType type) { return row(type).name; }
std::string_view nccl_tests_name(DataType type) { return row(type).nccl_tests; }
std::string_view name(ReduceOp op) { return op_names[static_cast<std::size_t>(op)]; }

std::optional<DataType> parse_datatype(std::string_view text) {
  const auto found = std::find_if(type_table.begin(), type_table.end(),
                                  [&](const TypeRow& row) { return row.name == text || row.nccl_tests == text; });
  if (found != type_table.end()) return found->type;
  const auto other = std::find_if(std::begin(other_names), std::end(other_names),
                                  [&](const OtherName& each) { return each.name == text; });
  return other == std::end(other_names) ? std::nullopt : std::optional(other->type);
}

std::optional<ReduceOp> parse_reduce_op(std::string_view text) {
  const auto found = std::find(op_names.begin(), op_names.end(), text);
  if (found == op_names.end()) return std::nullopt;
  return ops[static_cast<std::size_t>(found - op_names.begin())];
}

}  // namespace ringmark

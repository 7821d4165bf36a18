#include "transports/nccl/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ringmark {
namespace {

constexpr std::array<std::pair<std::string_view, std::optional<Collective>>, 10> functions{
    {{"AllReduce", Collective::all_reduce},
     {"ReduceScatter", Collective::reduce_scatter},
     {"AllGather", Collective::all_gather},
     {"Reduce", Collective::reduce},
     {"Broadcast", Collective::broadcast},
     {"AlltoAll", Collective::all_to_all},
     {"Gather", Collective::gather},
     {"Scatter", Collective::scatter},
     {"Send", std::nullopt},
     {"Recv", std::nullopt}}};

// Indexed by NCCL's numbers.
constexpr std::array types{DataType::int8,    DataType::uint8,    DataType::int32,       DataType::uint32,
                           DataType::int64,   DataType::uint64,   DataType::float16,     DataType::float32,
                           DataType::float64, DataType::bfloat16, DataType::float8_e4m3, DataType::float8_e5m2};
constexpr std::array ops{ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg};

}  // namespace

bool is_nccl_function(std::string_view name) {
  return std::any_of(functions.begin(), functions.end(), [&](const auto& each) { return each.first == name; });
}

std::optional<Collective> collective_of_nccl(std::string_view function) {
  for (const auto& [name, collective] : functions) {
    if (name == function) return collective;
  }
  return std::nullopt;
}

std::optional<DataType> datatype_of_nccl(int number) {
  return number >= 0 && number < static_cast<int>(types.size()) ? std::optional(types[static_cast<std::size_t>(number)])
                                                                : std::nullopt;
}

std::optional<ReduceOp> reduce_op_of_nccl(int number) {
  return number >= 0 && number < static_cast<int>(ops.size()) ? std::optional(ops[static_cast<std::size_t>(number)])
                                                              : std::nullopt;
}

int nccl_number(DataType type) { return static_cast<int>(std::find(types.begin(), types.end(), type) - types.begin()); }

int nccl_number(ReduceOp op) { return static_cast<int>(std::find(ops.begin(), ops.end(), op) - ops.begin()); }

}  // namespace ringmark

// NCCL's names of collectives in its log and calls, and its numbers for types and reductions.
#pragma once

#include <optional>
#include <string_view>

#include "base/operation.hpp"

namespace ringmark {

/// True for the name of a collective or message in NCCL's log: "AllReduce", "Send".
bool is_nccl_function(std::string_view name);
/// The collective that NCCL calls "AllReduce"; empty for other names.
std::optional<Collective> collective_of_nccl(std::string_view function);
/// By NCCL's numbers; empty for types and reductions that we lack.
std::optional<DataType> datatype_of_nccl(int number);
std::optional<ReduceOp> reduce_op_of_nccl(int number);
int nccl_number(DataType type);
int nccl_number(ReduceOp op);

}  // namespace ringmark

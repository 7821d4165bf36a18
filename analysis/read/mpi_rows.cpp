#include "analysis/read/mpi_rows.hpp"

#include <algorithm>
#include <array>

namespace ringmark::analysis {

std::string type_called(std::string_view mpi_name) {
  while (mpi_name.ends_with('.')) mpi_name.remove_suffix(1);
  constexpr std::array<std::pair<std::string_view, DataType>, 5> types{{{"MPI_CHAR", DataType::int8},
                                                                        {"MPI_BYTE", DataType::uint8},
                                                                        {"MPI_INT", DataType::int32},
                                                                        {"MPI_FLOAT", DataType::float32},
                                                                        {"MPI_DOUBLE", DataType::float64}}};
  const auto found = std::find_if(types.begin(), types.end(), [&](const auto& each) { return each.first == mpi_name; });
  return found == types.end() ? std::string(mpi_name) : std::string(name(found->second));
}

std::string op_called(std::string_view mpi_name) {
  constexpr std::array<std::pair<std::string_view, ReduceOp>, 4> ops{{{"MPI_SUM", ReduceOp::sum},
                                                                      {"MPI_PROD", ReduceOp::prod},
                                                                      {"MPI_MIN", ReduceOp::min},
                                                                      {"MPI_MAX", ReduceOp::max}}};
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const auto& each) { return each.first == mpi_name; });
  return std::string(found == ops.end() ? mpi_name : name(found->second));
}

void add_mpi_row(ForeignRows& rows, const MpiRow& values) {
  if (values.ranks < 1 || values.bytes > (std::uint64_t{1} << 50))
    return rows.refuse(values.line, "an impossible size of a vector");
  auto row = rows.row_of(values.transport, values.collective, values.ranks);
  row.nodes = rows.options().nodes.value_or(0);
  rows.set_memory(row, values.memory);
  rows.set_datatype(row, values.datatype);
  if (reduces(values.collective)) rows.set_op(row, values.op);
  const bool times_ranks = values.counts_blocks ||
                           (has_block_per_rank(values.collective) && values.collective != Collective::reduce_scatter);
  row.size_bytes = times_ranks ? values.bytes * static_cast<std::uint64_t>(values.ranks) : values.bytes;
  row.time_us_min = values.least_us;
  row.time_us_max = values.most_us;
  if (values.is_right == false) {
    row.status = Status::wrong;
    row.detail = "the tool's own check failed";
  } else if (values.is_right == true) {
    row.wrong_elements = 0;
  }
  rows.add(row, values.time_us, values.line);
}

}  // namespace ringmark::analysis

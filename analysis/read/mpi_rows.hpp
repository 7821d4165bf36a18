// The common part of OSU's and Intel's MPI benchmarks: sizes of one rank, and MPI's names of types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/read/foreign_rows.hpp"

namespace ringmark::analysis {

/// "float32" for MPI_FLOAT; the name itself for a type that Ringmark does not know.
std::string type_called(std::string_view mpi_name);
/// "max" for MPI_MAX; the name itself for an operation that Ringmark does not know.
std::string op_called(std::string_view mpi_name);

struct MpiRow {
  Transport transport = Transport::mpi;
  Collective collective = Collective::all_reduce;
  int ranks = 0;
  std::uint64_t bytes = 0;  ///< as both tools print it: what one rank contributes, except for reduce_scatter
  bool counts_blocks =
      false;  ///< `bytes` are those of the block that a rank receives, as in IMB's Reduce_scatter_block
  std::string datatype, memory;
  std::string op = std::string(name(ReduceOp::sum));
  std::optional<double> time_us, least_us, most_us;
  std::optional<bool> is_right;  ///< by the tool's own check
  std::size_t line = 0;
};

/// Adds the row; refuses an impossible size.
void add_mpi_row(ForeignRows& rows, const MpiRow& values);

}  // namespace ringmark::analysis

// Tables made of values, for tests of what reads them.
#pragma once

#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::testing_support {

/// A row of an all_reduce that took so long in one launch.
inline Record measured(const std::string& run, double time_us, std::uint64_t size = 1 << 20, int ranks = 4) {
  Record row{.run_id = run,
             .transport = Transport::tcp,
             .network = Network::tcp,
             .memory = MemoryKind::host,
             .algorithm = "auto"};
  row.collective = Collective::all_reduce;
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.timing = Timing::each;
  row.ranks = row.nodes = ranks;
  row.size_bytes = size;
  row.time_us_p50 = time_us;
  row.algbw_GBps = static_cast<double>(size) / time_us / 1e3;
  row.busbw_GBps = *row.algbw_GBps * 2 * (ranks - 1) / ranks;
  row.algorithm_used = "ring";
  row.status = Status::ok;
  return row;
}

/// Six launches each of TCP and of MPI, which is 44 times slower because its ranks poll on shared cores.
inline void add_mpi_in_doubt(analysis::Table& table) {
  for (int launch = 0; launch < 6; ++launch) {
    for (const auto transport : {Transport::mpi, Transport::tcp}) {
      const bool is_mpi = transport == Transport::mpi;
      auto row = measured((is_mpi ? "m" : "t") + std::to_string(launch), (is_mpi ? 4400 : 100) + launch);
      row.transport = transport;
      if (is_mpi) row.caveats.emplace_back(PollingOnSharedCores{.ranks = 4, .cores = 2});
      table.add(row, "r", 1);
    }
  }
}

inline std::vector<std::size_t> all_rows(const analysis::Table& table) {
  std::vector<std::size_t> rows(table.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  return rows;
}

}  // namespace ringmark::testing_support

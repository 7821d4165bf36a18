// perftest's results (ib_write_bw, ib_read_lat, …) as rows of a link, schema link/1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/read/foreign_rows.hpp"

namespace ringmark::analysis {

/// The facts that perftest prints before the table of a test.
struct PerftestSetup {
  std::string title;  ///< "RDMA_Write BW Test"; empty if unknown
  std::string link_type, connection, memory = "host";
  std::string transport_type = "IB";  ///< "IW" for iWARP
  int queue_pairs = 1;
  bool has_two_ports = false;
};

struct PerftestRow {
  std::uint64_t bytes = 0;
  std::uint64_t iterations = 0;
  std::optional<double> GBps;  ///< 1e9 bytes/s, of a bandwidth test
  std::optional<double> typical_us, least_us, most_us, average_us, p99_us;
  std::size_t line = 0;
};

/// Why the test does not measure the bandwidth or latency of a link in one direction; empty if it does.
std::string why_no_link(const PerftestSetup& setup);

/// Adds the row; Requires that why_no_link(setup) is empty.
void add_perftest_row(ForeignRows& rows, const PerftestSetup& setup, const PerftestRow& values);

}  // namespace ringmark::analysis

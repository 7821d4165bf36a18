#include "analysis/read/perftest_rows.hpp"

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

std::string operation_of(const PerftestSetup& setup) {
  for (const auto& [title, operation] :
       {std::pair("RDMA_Write_imm", "write_imm"), std::pair("RDMA_Write", "write"), std::pair("RDMA_Read", "read"),
        std::pair("Send_imm", "send_imm"), std::pair("Send", "send")}) {
    if (setup.title.starts_with(title)) return operation;
  }
  return "";
}

}  // namespace

std::string why_no_link(const PerftestSetup& setup) {
  if (setup.title.empty()) return "no line above names the test of perftest; give its whole output";
  if (operation_of(setup).empty() || says(setup.title, "Multicast") || says(setup.title, "forwarding"))
    return fmt::format("perftest's {} is not supported", setup.title);
  if (says(setup.title, "Bidirectional")) return "it adds up both directions of the link (-b); run perftest without -b";
  if (setup.has_two_ports) return "it adds up two ports (-O); run perftest on one port";
  return "";
}

void add_perftest_row(ForeignRows& rows, const PerftestSetup& setup, const PerftestRow& values) {
  constexpr int both_ends = 2;
  const auto test = says(setup.title, "Latency") ? LinkTest::latency : LinkTest::bandwidth;
  auto row = rows.row_of(Transport::verbs, test, both_ends);
  row.schema = Schema::link;
  row.link = {0, 1};
  row.nodes = rows.options().nodes.value_or(0);
  row.timing = test == LinkTest::bandwidth ? Timing::batch : Timing::each;
  if (setup.link_type == "IB") row.network = Network::ib;
  if (setup.link_type == "Ethernet" && setup.transport_type == "IB") row.network = Network::roce;
  rows.set_memory(row, setup.memory);
  row.datatype = DataType::uint8;
  row.size_bytes = row.count = values.bytes;
  if (test == LinkTest::latency) row.samples = values.iterations;
  row.settings.others["perftest"] =
      fmt::format("ib_{}_{}", operation_of(setup), test == LinkTest::latency ? "lat" : "bw");
  if (!setup.connection.empty()) row.settings.others["connection"] = setup.connection;
  if (setup.queue_pairs != 1) row.settings.others["queue_pairs"] = fmt::format("{}", setup.queue_pairs);
  row.time_us_min = values.least_us;
  row.time_us_max = values.most_us;
  row.time_us_mean = values.average_us;
  row.time_us_p99 = values.p99_us;
  auto time_us = values.typical_us ? values.typical_us : values.average_us;
  if (test == LinkTest::bandwidth && values.GBps && *values.GBps > 0)
    time_us = static_cast<double>(values.bytes) / (*values.GBps * 1e3);
  rows.add(row, time_us, values.line);
}

}  // namespace ringmark::analysis

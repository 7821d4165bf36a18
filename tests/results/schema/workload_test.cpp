#include "results/schema/workload.hpp"

#include <gtest/gtest.h>

#include "base/network.hpp"

namespace ringmark {
namespace {

template <class Value, class Parse>
void expect_names(std::initializer_list<std::string_view> names, Parse parse) {
  for (const auto text : names) {
    const std::optional<Value> value = parse(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(name(*value), text);
  }
  EXPECT_FALSE(parse("")) << "an empty cell is no value";
  EXPECT_FALSE(parse("other"));
}

TEST(Workload, values_have_the_names_of_the_contract) {
  expect_names<Schema>({"1", "link/1", "replay/1"}, parse_schema);
  expect_names<LinkTest>({"latency", "bandwidth", "burst"}, parse_link_test);
  expect_names<Workload>({"all_reduce", "reduce_scatter", "all_gather", "latency", "training_step"}, parse_workload);
  expect_names<Timing>({"each", "batch"}, parse_timing);
  expect_names<Start>({"barrier", "window"}, parse_start);
  expect_names<StopReason>({"iterations", "precision", "time", "samples"}, parse_stop_reason);
  expect_names<ComputeMode>({"busy", "asleep", "gpu", "work"}, parse_compute_mode);
  expect_names<Network>({"ib", "roce", "tcp", "shm", "device"}, parse_network);
}

TEST(Network, of_a_plug_in_has_the_plug_ins_name) {
  const auto network = parse_network("NET/Libfabric").value();
  EXPECT_EQ(network.kind(), Network::plug_in);
  EXPECT_EQ(name(network), "NET/Libfabric");
  EXPECT_NE(network, parse_network("NET/Other").value());
}

}  // namespace
}  // namespace ringmark

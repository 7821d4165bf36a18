#include "sweeps/launch/launch_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/schema/cells.hpp"
#include "sweeps/file/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Resolved first_setting(const std::string& rest) {
  const auto file = read_sweep("question: Why?\nranks: 4\n" + rest, "s.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  return resolve(file.sweep, Plan(file.sweep).setting(0));
}
Extent extent(const std::string& rest) { return extent_of(first_setting(rest)); }

TEST(Extent, of_collectives_is_each_size_each_way) {
  const auto found = extent(
      "program: all-reduce\narguments: {sizes: \"1K,4K\", in-place: both, max-time: 2}\nvariables: {warmup: [1]}\n");
  EXPECT_THAT(found.sizes, ElementsAre(1024, 4096));
  EXPECT_EQ(found.rows, 4U);
  EXPECT_EQ(found.seconds, 8);
  EXPECT_EQ(extent("program: all-reduce\narguments: {op: [sum, max], sizes: 1K, in-place: \"no\"}\n").rows, 2U);
  EXPECT_EQ(extent("program: all-reduce\narguments: {sizes: 1K, iters: 5}\n").seconds, std::nullopt);
}

TEST(Extent, of_links_is_that_of_their_tests_and_pairs) {
  EXPECT_THAT(extent("program: link\narguments: {test: latency}\nvariables: {warmup: [1]}\n").sizes, ElementsAre(8));
  const auto bandwidth = extent("program: link\narguments: {test: bandwidth}\nvariables: {warmup: [1]}\n");
  EXPECT_THAT(bandwidth.sizes, ElementsAre(1 << 20));
  EXPECT_EQ(bandwidth.rows, 1U);
  EXPECT_EQ(extent("program: link\narguments: {test: bandwidth, pairs: all}\nvariables: {warmup: [1]}\n").rows, 12U);
}

TEST(KeepAlgorithms, gives_auto_a_file_where_our_schedules_run) {
  const auto algorithm = [](const std::string& rest) {
    const auto flags = keep_algorithms(first_setting(rest), "/choices").flags;
    const auto found = flags.find("algorithm");
    return found == flags.end() ? "" : found->second.value_or("");
  };
  EXPECT_EQ(algorithm("program: all-reduce\n"), "auto:/choices");
  EXPECT_EQ(algorithm("program: all-reduce\narguments: {algorithm: auto}\n"), "auto:/choices");
  EXPECT_EQ(algorithm("program: replay\narguments: {model: opt-125m, device: a100}\n"), "auto:/choices");
  EXPECT_EQ(algorithm("program: all-reduce\narguments: {algorithm: ring}\n"), "ring");
  EXPECT_EQ(algorithm("program: all-reduce\narguments: {algorithm: \"auto:mine\"}\n"), "auto:mine");
  EXPECT_EQ(algorithm("program: all-reduce\narguments: {transport: mpi}\n"), "");
  EXPECT_EQ(algorithm("program: link\n"), "");
}

/// In the words that the program itself would write, defaults among them.
TEST(PlannedRow, has_what_the_arguments_decide) {
  const auto reduced = planned_row(
      first_setting("program: reduce-scatter\narguments: {transport: verbs, datatype: [float32, int8], op: max, "
                    "verbs.slice: 64K}\n"));
  EXPECT_EQ(reduced.schema, Schema::collective);
  EXPECT_EQ(reduced.transport, Transport::verbs);
  EXPECT_EQ(reduced.memory, MemoryKind::host);
  EXPECT_EQ(reduced.algorithm, "auto");
  EXPECT_EQ(reduced.collective, Collective::reduce_scatter);
  EXPECT_EQ(to_cell(reduced.datatype), "float32,int8");
  EXPECT_EQ(reduced.op, ReduceOp::max);
  EXPECT_EQ(reduced.timing, Timing::each);
  EXPECT_EQ(reduced.ranks, 4);
  EXPECT_EQ(reduced.status, Status::failed) << "until it is known better";
  EXPECT_THAT(reduced.settings.others, ElementsAre(Pair("verbs.slice", "64K")));
  EXPECT_TRUE(planned_row(first_setting("program: all-gather\n")).op.empty());
  EXPECT_EQ(planned_row(first_setting("program: link\narguments: {test: latency}\n")).schema, Schema::link);
  EXPECT_EQ(planned_row(first_setting("program: link\narguments: {test: latency}\n")).collective, LinkTest::latency);
  const auto step = planned_row(first_setting("program: replay\narguments: {model: opt-125m, device: a100}\n"));
  EXPECT_EQ(step.schema, Schema::replay);
  EXPECT_EQ(step.collective, TrainingStep{});
}

}  // namespace
}  // namespace ringmark::sweep

#include "analysis/compare/published_baseline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/gate.hpp"
#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t gibi = std::uint64_t{1} << 30U;

/// As nccl-tests over 16 GPUs on two nodes would print it.
Record row_of(const std::string& run, double busbw_GBps, int in_place = 0) {
  Record row;
  row.run_id = run;
  row.transport = Transport::nccl;
  row.memory = MemoryKind::cuda;
  row.algorithm = "auto";
  row.collective = Workload(Collective::all_reduce);
  row.datatype = DataType::float32;
  row.op = ReduceOp::sum;
  row.timing = Timing::batch;
  row.in_place = in_place;
  row.ranks = 16;
  row.nodes = 2;
  row.size_bytes = 8 * gibi;
  row.samples = 1;
  row.busbw_GBps = busbw_GBps;
  row.algbw_GBps = busbw_GBps / bus_factor(Collective::all_reduce, row.ranks);
  row.time_us_p50 = static_cast<double>(row.size_bytes) / *row.algbw_GBps / 1e3;
  return row;
}

class PublishedBaseline : public testing::Test {
 protected:
  void measured(std::initializer_list<double> busbw_GBps) {
    int number = 0;
    for (const double each : busbw_GBps) table_.add(row_of("run-" + std::to_string(++number), each), "tonight", 1);
    table_.finish_file();
  }
  CompareResult compared() {
    const auto added = add_published(table_, "h100_sxm:ib");
    note_ = added.note;
    std::vector<std::size_t> rows(table_.rows());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    return compare(table_, rows, {.by = "file", .baseline = added.file, .is_baseline_exact = true});
  }

  Table table_;
  std::string note_;
};

TEST_F(PublishedBaseline, is_the_median_of_its_sources) {
  measured({444, 445, 444.5});
  const auto result = compared();
  ASSERT_EQ(result.comparisons.size(), 1U);
  EXPECT_NEAR(1 / result.comparisons.front().ratio, 444.5 / 467.6, 0.001);
  EXPECT_THAT(note_, HasSubstr("https://github.com/NVIDIA/nccl-tests/issues/309"));
}

TEST_F(PublishedBaseline, decides_with_the_scatter_of_ones_own_launches) {
  measured({444, 445, 444.5});
  const auto result = compared();
  EXPECT_EQ(result.comparisons.front().verdict, Verdict::slower);
  EXPECT_EQ(judge(result, 2).outcome(), GateOutcome::failed);
  EXPECT_EQ(judge(result, 10).outcome(), GateOutcome::passed);
}

TEST_F(PublishedBaseline, leaves_one_launch_undecided) {
  measured({444});
  EXPECT_EQ(judge(compared(), 2).outcome(), GateOutcome::undecided);
}

TEST_F(PublishedBaseline, leaves_out_what_was_not_published) {
  table_.add(row_of("run-1", 444), "tonight", 1);
  table_.add(row_of("run-1", 444, 1), "tonight", 2);
  table_.finish_file();
  const auto result = compared();
  EXPECT_TRUE(result.unmatched.empty());
  EXPECT_THAT(note_, HasSubstr("1 row measured in place"));
}

TEST_F(PublishedBaseline, refuses_rows_that_nothing_is_published_of) {
  EXPECT_THROW(add_published(table_, "h100_sxm"), BadUsage) << "no rows";
  auto odd = row_of("run-1", 444);
  odd.size_bytes = 12345;
  table_.add(odd, "tonight", 1);
  table_.finish_file();
  EXPECT_THROW(add_published(table_, "h100_sxm"), BadUsage);
}

}  // namespace
}  // namespace ringmark::analysis

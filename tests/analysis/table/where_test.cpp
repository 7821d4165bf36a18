#include "analysis/table/where.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Table rows_of_four() {
  Table table;
  std::size_t line = 1;
  for (const std::string algorithm : {"", "Ring", "Tree"}) {
    for (const std::uint64_t size : {1024U, 65536U, 1U << 20U}) {
      Record row{.transport = Transport::nccl,
                 .datatype = DataType::float32,
                 .ranks = 8,
                 .size_bytes = size,
                 .status = Status::ok};
      if (!algorithm.empty()) row.settings.others["NCCL_ALGO"] = algorithm;
      row.extra["NCCL_BUFFSIZE"] = algorithm == "Tree" ? "4194304" : algorithm == "Ring" ? "1024K" : "1M";
      row.extra["NCCL_IB_HCA"] = size > 1024 ? "mlx5_0,mlx5_1" : "mlx5_0";
      if (size > 1024) row.time_us_p50 = 1.5;
      table.add(row, "r.csv", ++line);
    }
  }
  return table;
}

/// The lines of r.csv that are kept.
std::vector<std::string> kept(const std::vector<std::string>& conditions) {
  auto all = rows_of_four();
  keep_where(all, conditions);
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < all.rows(); ++row) lines.push_back(all.where(row).substr(6));
  return lines;
}

TEST(Where, keeps_rows_that_meet_all_conditions) {
  EXPECT_THAT(kept({}), testing::SizeIs(9));
  EXPECT_THAT(kept({"NCCL_ALGO=Tree"}), ElementsAre("8", "9", "10"));
  EXPECT_THAT(kept({"NCCL_ALGO=Tree,unset", "size_bytes=1K"}), ElementsAre("2", "8"));
  EXPECT_THAT(kept({"size_bytes=2K..64K,1048576", "NCCL_ALGO=Ring"}), ElementsAre("6", "7"));
  EXPECT_THAT(kept({"size_bytes=64K..", "NCCL_ALGO=unset"}), ElementsAre("3", "4"));
  EXPECT_THAT(kept({"size_bytes=..1024", "ranks=8"}), ElementsAre("2", "5", "8"));
  EXPECT_THAT(kept({"time_us_p50=unset"}), ElementsAre("2", "5", "8"));
}

TEST(Where, takes_figures_of_swept_options_as_figures) {
  EXPECT_THAT(kept({"NCCL_BUFFSIZE=4M"}), ElementsAre("8", "9", "10"));
  EXPECT_THAT(kept({"NCCL_BUFFSIZE=4194304", "size_bytes=1K"}), ElementsAre("8"));
  EXPECT_THAT(kept({"NCCL_BUFFSIZE=..2M", "size_bytes=1K"}), ElementsAre("2", "5"));
  EXPECT_THAT(kept({"NCCL_BUFFSIZE=1M", "size_bytes=1K"}), ElementsAre("2", "5")) << "1M and 1024K";
}

TEST(Where, takes_a_value_with_commas_as_one_where_a_row_has_it) {
  EXPECT_THAT(kept({"NCCL_IB_HCA=mlx5_0,mlx5_1", "NCCL_ALGO=Ring"}), ElementsAre("6", "7"));
  EXPECT_THAT(kept({"NCCL_IB_HCA=mlx5_0"}), ElementsAre("2", "5", "8"));
  // The planned values of a failed launch do not count as values.
  auto with_failed = rows_of_four();
  const Listed<DataType> both({DataType::float32, DataType::int8});
  with_failed.add({.datatype = both, .status = Status::failed}, "r.csv", 11);
  with_failed.add({.datatype = DataType::int8, .status = Status::ok}, "r.csv", 12);
  keep_where(with_failed, {"datatype=float32,int8"});
  EXPECT_EQ(with_failed.rows(), 10U);
}

TEST(Where, asks_each_condition_of_the_rows_that_those_before_it_leave) {
  EXPECT_THAT(
      [] {
        kept({"NCCL_BUFFSIZE=4M", "NCCL_ALGO=Ring"});
      },
      ThrowsMessage<BadUsage>(HasSubstr("available: Tree")));
}

TEST(Where, leaves_a_table_that_knows_only_its_own_rows) {
  auto all = rows_of_four();
  keep_where(all, {"NCCL_ALGO=Tree", "size_bytes=1K"});
  ASSERT_EQ(all.rows(), 1U);
  EXPECT_THAT(all.categories("NCCL_ALGO").values, ElementsAre("Tree"));
  EXPECT_THAT(all.categories("size_bytes").values, ElementsAre("1024"));
  EXPECT_EQ(all.cell(0, "transport"), "nccl");
}

TEST(Where, says_what_it_cannot_do) {
  for (const auto& [condition, words] : {std::pair{"NCCL_ALGO", "give COLUMN=VALUE"},
                                         {"NCCL_ALGO=", "give COLUMN=VALUE"},
                                         {"=4", "give COLUMN=VALUE"},
                                         {"NCCL_PROTO=LL", "unknown column NCCL_PROTO; available: transport"},
                                         {"size_bytes=big", "'big' is neither a number nor a range"},
                                         {"size_bytes=1K..big", "'1K..big' is neither"},
                                         {"NCCL_ALGO=tree", "NCCL_ALGO 'tree'; available: unset, Ring, Tree"},
                                         {"NCCL_ALGO=Ring,Tre", "NCCL_ALGO 'Tre'"},
                                         {"NCCL_ALGO=Ring,", "a value is empty"},
                                         {"size_bytes=64K..1K", "exceeds the end"},
                                         {"size_bytes=..", "'..' is neither a number nor"},
                                         {"size_bytes=nan", "'nan' is neither a number nor"},
                                         {"NCCL_BUFFSIZE=8M", "NCCL_BUFFSIZE '8M'; available: 1M, 1024K, 4194304"}}) {
    EXPECT_THAT([text = condition] { kept({text}); }, ThrowsMessage<BadUsage>(HasSubstr(words))) << condition;
  }
}

}  // namespace
}  // namespace ringmark::analysis

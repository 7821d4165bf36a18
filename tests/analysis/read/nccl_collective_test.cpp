#include "analysis/read/nccl_collective.hpp"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/nccl_launches.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

/// Rows of an operator and of a ratio of busbw to algbw, below a list of ranks.
std::string unnamed(int ranks, const char* op, double factor) {
  auto log = launch_of("all_reduce_perf", ranks, ranks, factor);
  log.erase(0, log.find('\n') + 1);
  return std::regex_replace(log, std::regex("float sum"), std::string("float ") + op);
}

TEST(NcclCollective, the_name_of_the_file_is_not_overruled_by_a_factor) {
  const auto of = [](const std::string& text, const std::string& file) {
    return read(text, {}, file).table.text("collective")[0];
  };
  // sendrecv_perf prints the operator of -o.
  EXPECT_EQ(of(unnamed(2, "sum", 1), "nccl_sendrecv.txt"), "send_recv");
  EXPECT_EQ(of(unnamed(4, "sum", 1), "nccl_sendrecv.txt"), "send_recv");
  EXPECT_EQ(of("$ ./build/sendrecv_perf -b 8\n" + unnamed(4, "sum", 1), "f"), "send_recv");
  EXPECT_EQ(of(unnamed(4, "sum", 1), "f"), "send_recv") << "no other collective has the factor 1 on 4 ranks";
  EXPECT_EQ(of(unnamed(2, "sum", 1), "f"), "all_reduce");
  const auto refused = [](const std::string& text, const std::string& file) -> std::string {
    try {
      read(text, {}, file);
    } catch (const BadUsage& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused(unnamed(4, "sum", 0.86), "all_reduce.txt"), AllOf(HasSubstr("all_reduce"), HasSubstr("0.86")));
  EXPECT_THAT(refused(unnamed(4, "sum", 1.5), "all_gather.txt"), AllOf(HasSubstr("all_gather"), HasSubstr("sum")));
  // These words are in other names too.
  EXPECT_EQ(of(unnamed(4, "sum", 1.5), "gather_numbers.txt"), "all_reduce");
  EXPECT_EQ(of(unnamed(4, "sum", 1.5), "allgather_and_allreduce.txt"), "all_reduce");
}

TEST(NcclCollective, the_command_above_a_table_names_its_collective) {
  auto log = launch_of("all_gather_perf", 4, 4, 0.75);
  log.erase(0, log.find('\n') + 1);
  const auto table =
      read("$ mpirun -np 4 ./build/all_gather_perf -b 1M\n" + log + "$ ./build/alltoall_perf -b 1M\n" + log).table;
  ASSERT_EQ(table.rows(), 8U);
  EXPECT_EQ(table.text("collective")[0], "all_gather");
  EXPECT_EQ(table.text("collective")[4], "all_to_all");
}

TEST(NcclCollective, the_line_below_a_table_names_its_collective) {
  auto log = launch_of("alltoall_perf", 4, 4, 0.75);
  log.erase(0, log.find('\n') + 1);
  EXPECT_THAT(why_not(log), HasSubstr("does not say which collective"));
  const auto table = read(log + "# Collective test concluded: alltoall_perf\n" + log +
                          "# Collective test concluded: all_gather_perf\n")
                         .table;
  ASSERT_EQ(table.rows(), 8U);
  EXPECT_EQ(table.text("collective")[0], "all_to_all");
  EXPECT_EQ(table.text("collective")[4], "all_gather");
}

TEST(NcclCollective, a_scripts_option_names_the_collective) {
  auto log = launch_of("all_gather_perf", 4, 4, 0.75);
  log.erase(0, log.find('\n') + 1);
  for (const char* command :
       {"$ /opt/scripts/run_nccl_tests.sh -t all_gather -b 1K", "$ ./nccl-tests --test all_gather"})
    EXPECT_EQ(read(std::string(command) + "\n" + log).table.text("collective")[0], "all_gather") << command;
  EXPECT_THAT(why_not("$ ./another.sh -t all_gather\n" + log), HasSubstr("does not say which collective"));
}

}  // namespace
}  // namespace ringmark::analysis

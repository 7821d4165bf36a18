#include "analysis/read_results.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/groups.hpp"
#include "base/errors.hpp"
#include "results/csv.hpp"
#include "tests/analysis/tables.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

Results read(std::string_view text, const ReadOptions& options = {}, const std::string& file = "f") {
  Results results;
  read_text(results, file, text, options);
  return results;
}

std::string why_not(std::string_view text, const ReadOptions& options = {}) {
  try {
    const auto results = read(text, options);
    return "read " + std::to_string(results.table.rows()) + " rows";
  } catch (const BadUsage& error) {
    return error.what();
  }
}

std::string own(const std::vector<Record>& rows, const std::vector<std::string>& extra = {}) {
  auto text = write_csv(record_header(extra));
  for (const auto& row : rows) text += write_csv(to_csv(row, extra));
  return text;
}

TEST(ReadResults, keeps_every_cell_of_our_own_files) {
  auto row = measured("a, \"b\"\nc", 12.5);
  row.settings = {{"tcp.sockets", "4"}};
  row.extra = {{"NCCL_ALGO", "Tree"}};
  row.detail = "two\nlines";
  const auto table = read(own({row, measured("second", 7)}, {"NCCL_ALGO"})).table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("run_id")[0], to_text(row.run_id));
  EXPECT_EQ(table.text("detail")[0], row.detail);
  EXPECT_EQ(table.text("NCCL_ALGO")[0], "Tree");
  EXPECT_EQ(table.text("tcp.sockets")[0], "4");
  EXPECT_EQ(table.text("tcp.sockets")[1], "");
  EXPECT_EQ(table.figure(0, "time_us_p50"), 12.5);
  EXPECT_FALSE(table.figure(0, "time_us_p99"));
  EXPECT_EQ(table.cell(0, "size_bytes"), "1048576");
  EXPECT_EQ(table.where(1), "f:5");
}

TEST(ReadResults, several_files_of_different_columns_become_one_table) {
  Results results;
  read_text(results, "a.csv", own({measured("a", 1)}), {});
  auto row = measured("b", 2);
  row.extra = {{"NCCL_PROTO", "LL"}};
  read_text(results, "b.csv", own({row}, {"NCCL_PROTO"}), {});
  const auto& table = results.table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("NCCL_PROTO")[0], "");
  EXPECT_EQ(table.text("NCCL_PROTO")[1], "LL");
  EXPECT_EQ(table.text("file")[1], "b.csv");
}

TEST(ReadResults, a_last_line_that_was_cut_off_is_left_out_and_told) {
  auto text = own({measured("a", 1), measured("b", 2)});
  text.resize(text.size() - 30);
  const auto results = read(text);
  EXPECT_EQ(results.table.rows(), 1U);
  ASSERT_EQ(results.notes.size(), 1U);
  EXPECT_THAT(results.notes[0], HasSubstr("f:3: "));
}

TEST(ReadResults, also_where_it_was_cut_off_within_quotes) {
  auto row = measured("b", 2);
  row.settings = {{"tcp.sockets", "4"}};
  auto text = own({measured("a", 1), row});
  text.resize(text.size() - 5);
  const auto results = read(text);
  EXPECT_EQ(results.table.rows(), 1U);
  EXPECT_EQ(results.notes.size(), 1U);
}

TEST(ReadResults, says_where_and_what_is_wrong) {
  const auto good = own({measured("a", 1)});
  const auto replaced = [&](const std::string& from, const std::string& to) {
    auto text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THAT(why_not(replaced("1048576", "1e3x")), HasSubstr("f:2: column size_bytes: '1e3x' "));
  EXPECT_THAT(why_not(replaced("1048576", "nan")), HasSubstr("column size_bytes"));
  EXPECT_THAT(why_not(replaced("\n1,", "\n9,")), HasSubstr("f:2: column schema: '9' "));
  EXPECT_THAT(why_not(replaced("1048576", "-4")), HasSubstr("whole number"));
  EXPECT_THAT(why_not(own({measured("a", 1)}, {"X", "X"})), HasSubstr("'X'"));
  EXPECT_THAT(why_not(replaced("\n1,", "\nlink/1,")), HasSubstr("column src"));
  EXPECT_THAT(why_not(replaced(",time_us_p50,", ",time_us_p51,")), HasSubstr("column time_us_p50"));
  EXPECT_THAT(why_not(replaced(",detail,", ",status,")), HasSubstr("column status"));
  EXPECT_THAT(why_not(replaced("\n1,", "\n1,1,")), HasSubstr("f:2: 47 of 46 cells"));
  EXPECT_THAT(why_not(replaced("{}", "{")), HasSubstr("column settings"));
  EXPECT_THAT(why_not(replaced("float32", "float31")), HasSubstr("f:2: column datatype: 'float31'"));
  EXPECT_THAT(why_not(replaced(",ok,", ",fine,")), HasSubstr("f:2: column status: 'fine'"));
  EXPECT_THAT(why_not(replaced(",each,", ",every,")), HasSubstr("f:2: column timing: 'every'"));
  EXPECT_THAT(why_not(replaced("all_reduce", "\"all_reduce")), HasSubstr("quote"));
  EXPECT_THAT(why_not(""), HasSubstr("empty"));
  EXPECT_THAT(why_not("a,b\n1,2\n"), HasSubstr("neither a result CSV of Ringmark"));
  EXPECT_THAT(why_not(R"({"schema":"samples/1","context":{}})"), HasSubstr("these are samples"));
  EXPECT_THAT(why_not(R"({"schema":"steptrace/1"})"), HasSubstr("step trace"));
  EXPECT_EQ(why_not(write_csv(record_header())), "read 0 rows");
}

TEST(ReadResults, of_files_and_folders) {
  const ResultFolder folder;
  std::ofstream(folder.file("results.csv")) << own({measured("a", 1)});
  std::ofstream(folder.file("header.csv")) << write_csv(record_header());
  EXPECT_EQ(read_results({folder.path()}).table.rows(), 1U);
  EXPECT_THROW(read_results({folder.file("nothing")}), BadUsage);
  EXPECT_THROW(read_results({folder.file("header.csv")}), BadUsage);
  std::filesystem::create_directory(folder.file("empty"));
  EXPECT_THROW(read_results({folder.file("empty")}), BadUsage);
}

TEST(ReadResults, what_a_sweep_leaves_unset_by_default_is_what_rows_have_then) {
  const ResultFolder folder;
  std::ofstream(folder.file("results.csv")) << own({measured("a", 1)});
  std::ofstream(folder.file("manifest.json"))
      << R"({"default": {"transport": null, "algorithm": null, "tcp.sockets": null, "NCCL_ALGO": "Ring"}})";
  const auto table = read_results({folder.path()}).table;
  EXPECT_EQ(*table.default_of("transport"), "tcp");
  EXPECT_EQ(*table.default_of("algorithm"), "auto");
  EXPECT_EQ(*table.default_of("tcp.sockets"), "");
  EXPECT_EQ(*table.default_of("NCCL_ALGO"), "Ring");
}

constexpr auto nccl_text =
    R"(# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid 1234 on     node-a device  0 [0x07] NVIDIA H100
#  Rank  1 Group  0 Pid 1235 on     node-a device  1 [0x0f] NVIDIA H100
#  Rank  2 Group  0 Pid 1236 on     node-b device  0 [0x07] NVIDIA H100
#  Rank  3 Group  0 Pid 1237 on     node-b device  1 [0x0f] NVIDIA H100
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
node-a:1234:1234 [0] NCCL INFO Bootstrap : Using eth0
     1048576        262144     float     sum      -1    50.00   20.97   31.46      0    49.00   21.40   32.10      0
     2097152        524288     float     sum      -1    80.00   26.21   39.32      0    79.00   26.55   39.82    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 35.67
)";

TEST(Foreign, nccl_tests_text) {
  const auto table = read(nccl_text).table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.text("collective")[0], "all_reduce");  // by its factor of busbw
  EXPECT_EQ(table.text("transport")[0], "nccl");
  EXPECT_EQ(table.text("datatype")[0], "float32");
  EXPECT_EQ(table.text("timing")[0], "batch");
  EXPECT_EQ(table.cell(0, "ranks"), "4");
  EXPECT_EQ(table.cell(0, "nodes"), "2");
  EXPECT_EQ(table.cell(1, "in_place"), "1");
  EXPECT_EQ(table.figure(2, "time_us_p50"), 80);
  EXPECT_NEAR(*table.figure(2, "busbw_GBps"), 39.32, 0.01);
  EXPECT_FALSE(table.figure(3, "wrong_elements"));
  EXPECT_EQ(table.where(0), "f:13");
}

TEST(Foreign, a_row_of_nccl_tests_that_was_cut_off_is_told) {
  auto text = std::string(nccl_text);
  text.insert(text.find("# Out of bounds"), "     4194304       1048576     float     sum\n");
  const auto results = read(text.c_str());
  EXPECT_EQ(results.table.rows(), 4U);
  EXPECT_THAT(results.notes, testing::Contains(AllOf(HasSubstr("f:15: "), HasSubstr("4 words"), HasSubstr("13"))));
}

TEST(Foreign, nccl_tests_json) {
  const auto table = read(R"({"version":3,"args":["./build/reduce_scatter_perf","-b","8"],
    "env":[{"SECRET_TOKEN":"x"}],"nccl_version":22304,"config":{"devices":[{"hostname":"a"},{"hostname":"b"}]},
    "results":[{"size":1024,"count":128,"type":"half","redop":"sum","root":"-1",
      "out_of_place":{"time":10.5,"alg_bw":1,"bus_bw":1,"nwrong":"0"},"in_place":{"time":"nan","nwrong":3}}]})")
                         .table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("collective")[0], "reduce_scatter");
  EXPECT_EQ(table.text("datatype")[0], "float16");
  EXPECT_EQ(table.cell(0, "nodes"), "2");
  EXPECT_EQ(table.figure(0, "time_us_p50"), 10.5);
  EXPECT_EQ(table.text("status")[1], "failed");
}

TEST(Foreign, what_only_looks_alike_is_refused) {
  constexpr auto overlap =
      "# OSU MPI Non-blocking Allreduce Latency Test\n# Size  Overall(us)  Compute(us)\n4 9.0 4.0\n";
  EXPECT_THAT(why_not(overlap, {.ranks = 4}), HasSubstr("not the average latency"));
  constexpr auto nbc =
      "# Intel(R) MPI Benchmarks\n# Benchmarking Iallreduce\n# #processes = 4\n"
      "#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n4 1000 9 4 4 99\n";
  EXPECT_THAT(why_not(nbc), HasSubstr("Iallreduce"));
  constexpr auto nested = R"({"nccl_version":1,"config":{"devices":[{}]},"args":[[["all_reduce"]]],"results":[]})";
  EXPECT_THAT(why_not(nested), HasSubstr("not the JSON of nccl-tests"));
}

TEST(Foreign, corrupted_results_do_not_pass_for_good_ones) {
  std::string text = nccl_text;
  text.replace(text.find("32.10      0"), 12, "32.10  1e+06");
  const auto table = read(text).table;
  EXPECT_EQ(table.text("status")[1], "wrong");
  EXPECT_EQ(table.figure(1, "wrong_elements"), 1e6);
}

TEST(Foreign, osu_wants_to_be_told_the_ranks) {
  constexpr auto text =
      "\n# OSU MPI Allgather Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
      "1                       2.50\n1024                   20.00\n";
  EXPECT_THAT(why_not(text), HasSubstr("say --ranks N"));
  const auto table = read(text, {.ranks = 8, .nodes = 2}).table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(1, "nodes"), "2");
  EXPECT_EQ(table.text("collective")[1], "all_gather");
  EXPECT_EQ(table.cell(1, "size_bytes"), "8192");  // what one rank contributes, times ranks
  EXPECT_EQ(table.text("datatype")[1], "int8");
}

TEST(Foreign, a_number_that_was_cut_off_is_no_number) {
  const auto results =
      read("# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n4   2.50\n1024   65", {.ranks = 8});
  EXPECT_EQ(results.table.rows(), 1U);
  ASSERT_EQ(results.notes.size(), 1U);
  EXPECT_THAT(results.notes[0], HasSubstr("f:4: "));
}

TEST(Foreign, other_collectives_are_not_taken_for_ours) {
  EXPECT_THAT(why_not("# OSU MPI Allgatherv Latency Test v7.4\n4   2.50\n", {.ranks = 8}), HasSubstr("'Allgatherv'"));
  const auto results = read(R"(#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
# Benchmarking Allgather
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1024         1000         9.00        11.00        10.00
# Benchmarking Allgatherv
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1024         1000       999.00      1001.00      1000.00
)");
  ASSERT_EQ(results.table.rows(), 1U);
  EXPECT_EQ(results.table.figure(0, "time_us_p50"), 10);
  EXPECT_THAT(results.notes.at(0), HasSubstr("Allgatherv (1)"));
  // Without the line that names it, a factor that several have tells nothing.
  std::string text = nccl_text;
  for (auto at = text.find("sum      -1"); at != std::string::npos; at = text.find("sum      -1"))
    text.replace(at, 11, "none     -1");
  EXPECT_THAT(why_not(text), HasSubstr("does not say which collective"));
  text = "# Collective test starting: sendrecv_perf\n" + std::string(nccl_text);
  EXPECT_THAT(why_not(text), HasSubstr("f:1: 'sendrecv_perf' "));
}

TEST(OwnCsv, what_a_sweep_left_unset_is_empty_and_comes_first) {
  auto row = measured("run", 10);
  row.extra = {{"tcp.sockets", "unset"}};
  const auto table = read(own({row}, {"tcp.sockets"})).table;
  EXPECT_EQ(table.cell(0, "tcp.sockets"), "");
  EXPECT_TRUE(reads_before("", "1"));
  EXPECT_FALSE(reads_before("1", ""));
}

TEST(OwnCsv, may_begin_as_spreadsheet_programs_write_it) {
  EXPECT_EQ(read("\xEF\xBB\xBF" + own({measured("run", 10)})).table.rows(), 1U);
}

TEST(Foreign, imb_lists_several_benchmarks) {
  const auto table = read(R"(#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            4         1000         1.00         1.40         1.20
         1024         1000         2.00         2.40         2.20
# Benchmarking Reduce_scatter
# #processes = 2
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1024         1000         3.00         3.40         3.20
)")
                         .table;
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.figure(1, "time_us_p50"), 2.2);
  EXPECT_EQ(table.figure(1, "time_us_max"), 2.4);
  EXPECT_EQ(table.text("collective")[2], "reduce_scatter");
  EXPECT_EQ(table.cell(2, "ranks"), "2");
}

}  // namespace
}  // namespace ringmark::analysis

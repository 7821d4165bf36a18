#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/reading.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::HasSubstr;

TEST(Foreign, what_only_looks_alike_is_refused) {
  constexpr auto overlap =
      "# OSU MPI Non-blocking Allreduce Latency Test\n# Size  Overall(us)  Compute(us)\n4 9.0 4.0\n";
  EXPECT_THAT(why_not(overlap, {.ranks = 4}), HasSubstr("non-blocking"));
  constexpr auto nbc =
      "# Intel(R) MPI Benchmarks\n# Benchmarking Iallreduce\n# #processes = 4\n"
      "#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]\n4 1000 9 4 4 99\n";
  EXPECT_THAT(why_not(nbc), HasSubstr("Iallreduce"));
}

TEST(Foreign, osu_wants_to_be_told_the_ranks) {
  constexpr auto text =
      "\n# OSU MPI Allgather Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
      "1                       2.50\n1024                   20.00\n";
  EXPECT_THAT(why_not(text), HasSubstr("give --ranks N"));
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
  EXPECT_THAT(why_not("# OSU MPI Allgatherv Latency Test v7.4\n4   2.50\n", {.ranks = 8}),
              HasSubstr("'Allgatherv Latency'"));
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
  EXPECT_THAT(results.notes.at(0), HasSubstr("Allgatherv"));
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

TEST(Osu, says_in_which_memory_and_of_which_type_the_buffers_were) {
  const auto of = [](const std::string& title) {
    const auto table = read("# OSU " + title + "\n# Size       Avg Latency(us)\n1024  20.00\n", {.ranks = 4}).table;
    return table.text("memory")[0] + " " + table.text("datatype")[0] + " " + table.text("transport")[0];
  };
  EXPECT_EQ(of("MPI Allreduce Latency Test v5.6.2"), "host float32 mpi");
  EXPECT_EQ(of("MPI-CUDA Allgather Latency Test v5.7"), "cuda int8 mpi");
  EXPECT_EQ(of("MPI-ROCM Allreduce Latency Test v7.0"), "rocm float32 mpi");
  EXPECT_EQ(of("NCCL-CUDA Allreduce Latency Test v7.0"), "cuda float32 nccl");
  EXPECT_EQ(of("MPI Broadcast Latency Test v7.4"), "host  mpi");  // this version writes the type
  EXPECT_EQ(of("MPI All-to-All Personalized Exchange Latency Test v5.6"), "host int8 mpi");
}

TEST(Osu, reads_figures_and_validation_by_the_header) {
  const auto table = read(
                         "# OSU MPI Allreduce Latency Test v7.4\n# Datatype: MPI_FLOAT.\n"
                         "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations  Validation\n"
                         "4                 2.50         1.50        3.50        1000        Pass\n"
                         "8                 2.60         1.60        3.60        1000        Fail\n",
                         {.ranks = 4})
                         .table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.figure(0, "time_us_p50"), 2.5);
  EXPECT_EQ(table.figure(0, "time_us_min"), 1.5);
  EXPECT_EQ(table.figure(1, "time_us_max"), 3.6);
  EXPECT_EQ(table.text("status")[0], "ok");
  EXPECT_EQ(table.figure(0, "wrong_elements"), 0);
  EXPECT_EQ(table.text("status")[1], "wrong");
}

TEST(Osu, a_benchmark_that_is_not_known_does_not_take_the_others_with_it) {
  const auto results = read(
      "# OSU MPI Allreduce Latency Test v5.6\n# Size       Avg Latency(us)\n4  2.50\n"
      "# OSU MPI_Put Latency Test v5.6\n# Window creation: MPI_Win_allocate\n# Size  Latency (us)\n4 1.0\n"
      "# OSU MPI Bandwidth Test v5.6\n# Size      Bandwidth (MB/s)\n4  100.0\n"
      "# OSU MPI Allreduce Latency Test v5.6\n# Size       Avg Latency(us)\n4  2.70\n",
      {.ranks = 4});
  ASSERT_EQ(results.table.rows(), 2U);
  EXPECT_EQ(results.table.figure(1, "time_us_p50"), 2.7);
  EXPECT_NE(results.table.text("run_id")[0], results.table.text("run_id")[1]);
  EXPECT_THAT(results.notes, Contains(HasSubstr("'Bandwidth'")));
}

TEST(Osu, other_programs_lines_below_a_table_are_no_rows) {
  const auto table = read(
                         "# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n4  2.50\n8  2.70\n"
                         "LAMMPS (2 Aug 2023)\n304 atoms\n304 velocities\n",
                         {.ranks = 4})
                         .table;
  EXPECT_EQ(table.rows(), 2U);
}

TEST(Osu, a_barrier_is_refused_as_one) {
  EXPECT_THAT(why_not("# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n   12.57\n", {.ranks = 4}),
              HasSubstr("f:1: OSU's Barrier moves no bytes"));
}

constexpr auto imb_table = R"(#    Intel(R) MPI Benchmarks 2019 Update 6, MPI-1 part
# MPI_Datatype                   :   MPI_BYTE
# MPI_Datatype for reductions    :   MPI_DOUBLE
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
         1024         1000         1.20       853.00
# Benchmarking Allgather
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects
         1024         1000         9.00        11.00        10.00         0.00
# Benchmarking Allreduce
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects
         1024         1000         9.00        11.00        10.00         2.00
      2097152            0 out-of-mem.; needed X=  0.010 GB
)";

TEST(Imb, a_pingpong_is_refused_by_name_and_the_others_are_read) {
  const auto results = read(imb_table);
  const auto& table = results.table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("datatype")[0], "uint8");
  EXPECT_EQ(table.text("datatype")[1], "float64");
  EXPECT_EQ(table.text("status")[0], "ok");
  EXPECT_EQ(table.text("status")[1], "wrong");
  EXPECT_THAT(results.notes, Contains(HasSubstr("PingPong")));
}

TEST(Imb, may_come_from_a_spreadsheet_that_numbers_its_rows) {
  const auto table = read(
                         "#    Intel (R) MPI Benchmarks 2019, MPI-1 part\t\t\n# MPI_Datatype\t:\tMPI_INT\t9\n"
                         "#----------------\t\t\t\t1\n#\tBenchmarking\tAlltoall\t\t2\n#\t#processes\t=\t8\t\t3\n"
                         "#bytes\t#repetitions\tt_min[usec]\tt_max[usec]\tt_avg[usec]\t\t4\n"
                         "64\t1000\t5.90\t6.30\t6.10\t\t5\n1024\t1000\t9.20\t9.60\t9.40\t\t6\n")
                         .table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("collective")[0], "all_to_all");
  EXPECT_EQ(table.text("datatype")[0], "int32");
  EXPECT_EQ(table.cell(0, "ranks"), "8");
  EXPECT_EQ(table.figure(1, "time_us_p50"), 9.4);
}

TEST(Imb, lines_that_are_missing_are_named) {
  const std::string text = imb_table;
  EXPECT_THAT(why_not(std::regex_replace(text, std::regex(" +#bytes[^\n]*\n"), "")), HasSubstr("'#bytes #repetitions"));
  EXPECT_THAT(why_not(std::regex_replace(text, std::regex("# #processes[^\n]*\n"), "")), HasSubstr("#processes"));
}

TEST(Foreign, number_signs_may_be_swallowed_or_escaped) {
  const std::string osu = "# OSU MPI Gather Latency Test v5.9\n# Size       Avg Latency(us)\n64   31.15\n256  44.70\n";
  for (const char* sign : {"", "\\#", "&#35;", "#"}) {
    const auto table = read(std::regex_replace(osu, std::regex("#"), sign), {.ranks = 96}).table;
    ASSERT_EQ(table.rows(), 2U) << sign;
    EXPECT_EQ(table.text("collective")[0], "gather");
    EXPECT_EQ(table.figure(1, "time_us_p50"), 44.7);
    EXPECT_EQ(read(std::regex_replace(std::string(imb_table), std::regex("#"), sign)).table.rows(), 2U) << sign;
  }
}

TEST(Osu, says_why_it_does_not_read_a_table) {
  const auto why = [](const std::string& title, const std::string& header = "# Size  Avg Latency(us)\n") {
    return why_not("# OSU " + title + " Test v7.4\n" + header + "4  9.0\n", {.ranks = 4});
  };
  EXPECT_THAT(why("MPI All-to-Allv Personalized Exchange Latency"), HasSubstr("unequal"));
  EXPECT_THAT(why("MPI Bandwidth"), HasSubstr("link"));
  EXPECT_THAT(why("MPI Latency"), HasSubstr("link"));
  EXPECT_THAT(why("MPI Non-blocking Allreduce Latency"), HasSubstr("non-blocking"));
  EXPECT_THAT(why("MPI Allreduce Latency", ""), HasSubstr("'# Size"));
  EXPECT_THAT(why("MPI Allreduce Latency", "# Size  Frobs(1/s)\n"), HasSubstr("'Frobs(1/s)'"));
}

TEST(Imb, buffers_of_its_programs_for_GPUs_lie_in_a_device) {
  const auto memory = [](const std::string& command) {
    std::string text = imb_table;
    text.insert(text.find('\n') + 1, "# Calling sequence was:\n# " + command + "\n");
    return read(text).table.text("memory")[0];
  };
  EXPECT_EQ(memory("./IMB-MPI1 allreduce"), "host");
  EXPECT_EQ(memory("/opt/intel/IMB-MPI1-GPU allreduce"), "device");
  EXPECT_EQ(memory("IMB-MPI1-GPU -mem_alloc_type cpu allreduce"), "host");
}

TEST(Imb, several_groups_at_once_are_another_benchmark) {
  const std::string text = imb_table;
  const auto from = text.find("# Benchmarking Allgather"), processes = text.find("# #processes = 4", from);
  auto multi = text.substr(0, text.find("# Benchmarking Ping")) + text.substr(from);
  multi.insert(multi.find("# #processes = 4"), "# ( 2 groups of 4 processes each running simultaneous )\n");
  EXPECT_NE(processes, std::string::npos);
  const auto results = read(multi);
  EXPECT_EQ(results.table.rows(), 1U);
  EXPECT_THAT(results.notes, Contains(HasSubstr("2 concurrent groups")));
}

TEST(Imb, each_run_in_a_file_is_a_launch) {
  const auto table = read(std::string(imb_table) + imb_table).table;
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.text("run_id")[0], table.text("run_id")[1]);
  EXPECT_NE(table.text("run_id")[0], table.text("run_id")[2]);
}

constexpr auto imb_of_blocks =
    "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# MPI_Datatype for reductions    :   MPI_FLOAT\n"
    "# MPI_Op                         :   MPI_SUM\n# Benchmarking Reduce_scatter_block\n# #processes = 4\n"
    "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n1024         1000         1.00         1.40         "
    "1.20\n";

std::string imb_with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(MpiBenchmarks, reduce_scatters_of_blocks_are_reduce_scatters) {
  const auto osu =
      read("# OSU MPI Reduce_scatter_block Latency Test v7.5\n# Size       Avg Latency(us)\n1024  9.40\n", {.ranks = 4})
          .table;
  ASSERT_EQ(osu.rows(), 1U);
  EXPECT_EQ(osu.text("collective")[0], "reduce_scatter");
  EXPECT_EQ(osu.cell(0, "size_bytes"), "1024") << "OSU divides the size among the ranks";
  const auto imb = read(imb_of_blocks).table;
  ASSERT_EQ(imb.rows(), 1U);
  EXPECT_EQ(imb.text("collective")[0], "reduce_scatter");
  EXPECT_EQ(imb.cell(0, "size_bytes"), "4096") << "IMB gives each rank's block";
  EXPECT_EQ(read(imb_with(imb_of_blocks, "Reduce_scatter_block", "Reduce_scatter")).table.cell(0, "size_bytes"),
            "1024");
}

TEST(Imb, the_operator_is_that_of_the_header) {
  const auto op_of = [](const std::string& op) {
    return read(imb_with(imb_of_blocks, "MPI_SUM", op)).table.text("op")[0];
  };
  EXPECT_EQ(op_of("MPI_SUM"), "sum");
  EXPECT_EQ(op_of("MPI_MAX"), "max");
  EXPECT_EQ(op_of("MPI_BAND"), "MPI_BAND");
}

TEST(Imb, several_groups_at_once_are_named) {
  const auto text = imb_with(imb_with(imb_of_blocks, "Reduce_scatter_block", "Multi-Allreduce"), "# #processes = 4",
                             "# ( 4 groups of 2 processes each running simultaneously )");
  EXPECT_THAT(why_not(text), HasSubstr("4 concurrent groups"));
}

TEST(Imb, rows_that_begin_with_names_are_refused) {
  EXPECT_THAT(why_not("#Benchmarking  #procs  #bytes #repetitions  t_min[usec] t_max[usec]  t_avg[usec]\n"
                      "Allreduce  96  0  1000  0.02 0.03  0.02\n"),
              HasSubstr("IMB's own output"));
}

TEST(Osu, links_are_refused_with_what_is_read) {
  EXPECT_THAT(why_not("# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n4 1.0\n", {.ranks = 2}),
              HasSubstr("perftest"));
}

TEST(Osu, decimal_commas_are_named) {
  EXPECT_THAT(why_not("# OSU MPI Allreduce Latency Test v7.5\n# Size       Avg Latency(us)\n4   5,10\n", {.ranks = 4}),
              AllOf(HasSubstr("f:3: "), HasSubstr("decimal commas")));
  EXPECT_THAT(why_not("# OSU MPI Allreduce Latency Test v7.5\n| a table 8 800 1,19 |\n", {.ranks = 4}),
              Not(HasSubstr("decimal commas")));
}

}  // namespace
}  // namespace ringmark::analysis

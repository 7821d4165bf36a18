#include "analysis/read/read_results.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table/groups.hpp"
#include "base/errors.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/result_file.hpp"
#include "tests/analysis/reading.hpp"
#include "tests/analysis/tables.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;
using testing::HasSubstr;

std::string own(const std::vector<Record>& rows, const std::vector<std::string>& extra = {}) {
  auto text = write_csv(record_header(extra));
  for (const auto& row : rows) text += write_csv(to_csv(row, extra));
  return text;
}

TEST(ReadResults, keeps_every_cell_of_our_own_files) {
  auto row = measured("a, \"b\"\nc", 12.5);
  row.settings = settings_from({{"tcp.sockets", "4"}});
  row.extra = {{"NCCL_ALGO", "Tree"}};
  row.detail = "two\nlines";
  const auto table = read(own({row, measured("second", 7)}, {"NCCL_ALGO"})).table;
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text("run_id")[0], row.run_id);
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
  row.settings = settings_from({{"tcp.sockets", "4"}});
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
  EXPECT_THAT(why_not(replaced("\n1,", "\n1,1,")), HasSubstr("f:2: 49 of 48 cells"));
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
  EXPECT_THAT(why_not(json_rows({json_row(measured("a", 1))})), HasSubstr("give the file that --csv wrote"));
  EXPECT_THAT(why_not(own({measured("a", 1), measured("b", -5)})), HasSubstr("f:3: column time_us_p50: '-5' "));
}

TEST(ReadResults, names_the_quotes_that_perftests_json_lacks) {
  EXPECT_THAT(why_not("{\ntest_info: {\ntest: Send_BW,\n},\nresults: {\nMsgSize: 65536\n}\n}\n"), HasSubstr("quotes"));
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

TEST(OwnCsv, what_a_sweep_left_unset_is_empty_and_comes_first) {
  auto row = measured("run", 10);
  row.extra = {{"tcp.sockets", "unset"}};
  const auto table = read(own({row}, {"tcp.sockets"})).table;
  EXPECT_EQ(table.cell(0, "tcp.sockets"), "");
  EXPECT_TRUE(reads_before("", "1"));
  EXPECT_FALSE(reads_before("1", ""));
}

}  // namespace
}  // namespace ringmark::analysis

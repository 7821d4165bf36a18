// The files that sinks leave behind, also after failures.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "base/append_file.hpp"
#include "results/files/console_sink.hpp"
#include "results/files/file_sinks.hpp"
#include "results/files/provenance.hpp"
#include "results/files/result_file.hpp"

namespace ringmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Sinks : public testing::Test {
 protected:
  Sinks() : folder_(std::filesystem::temp_directory_path() / ("ringmark-test-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Sinks() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

Record row(int in_place, double time_us) {
  Record r;
  r.collective = Collective::all_reduce;
  r.datatype = DataType::float32;
  r.op = ReduceOp::sum;
  r.in_place = in_place;
  r.size_bytes = 1024;
  r.count = 256;
  r.time_us_p50 = time_us;
  r.algbw_GBps = 1024 / time_us / 1e3;
  r.busbw_GBps = 1.5 * *r.algbw_GBps;
  r.wrong_elements = 0;
  r.status = Status::ok;
  return r;
}

TEST_F(Sinks, csv_appends_to_its_own_kind) {
  for (int run = 0; run < 2; ++run) {
    const auto sink = make_csv_sink(path("a.csv"));
    sink->begin({});
    sink->add(row(0, 10), {});
    sink->finish();
  }
  const auto table = parse_csv(read(path("a.csv")));
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0], record_header());
}

TEST_F(Sinks, csv_never_touches_another_file) {
  std::ofstream(path("b.csv")) << "name,price\nx,1";
  EXPECT_THROW(make_csv_sink(path("b.csv")), std::invalid_argument);
  EXPECT_THROW(make_csv_sink(path("no/such/folder.csv")), std::system_error);
  EXPECT_THROW(make_samples_sink(path("b.csv")), std::invalid_argument);
  EXPECT_EQ(read(path("b.csv")), "name,price\nx,1");
  EXPECT_THROW(make_csv_sink("/dev/full")->begin({}), std::system_error);
}

TEST_F(Sinks, csv_drops_the_line_that_a_crash_left_unfinished) {
  {
    const auto sink = make_csv_sink(path("c.csv"));
    sink->begin({});
    sink->add(row(0, 10), {});
  }
  std::ofstream(path("c.csv"), std::ios::app) << "1,half a ro";
  const auto sink = make_csv_sink(path("c.csv"));
  sink->begin({});
  sink->add(row(1, 11), {});
  EXPECT_EQ(parse_csv(read(path("c.csv"))).size(), 3U);
}

// A limit on the file's size fails a write in its middle, as a full disk does.
TEST_F(Sinks, a_record_that_does_not_fit_leaves_the_file_as_it_was) {
  std::signal(SIGXFSZ, SIG_IGN);
  AppendFile file(path("d"));
  file.append("0123456789\n");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{16, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(file.append("does not fit\n"), std::system_error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read(path("d")), "0123456789\n");
  file.append("fits\n");
  EXPECT_EQ(read(path("d")), "0123456789\nfits\n");
}

TEST_F(Sinks, of_several_all_get_what_one_cannot_take) {
  /// Takes nothing. A fake.
  struct Full final : Sink {
    void begin(const RunContext&) override {}
    void add(const Record&, const Samples&) override { throw std::runtime_error("full"); }
    void finish() override {}
  };
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(std::make_unique<Full>());
  sinks.push_back(make_csv_sink(path("a.csv"), {}));
  TeeSink all(std::move(sinks));
  all.begin({});
  EXPECT_THROW(all.add({}, {}), std::runtime_error);
  EXPECT_EQ(read_records(read(path("a.csv"))).size(), 1U);
}

TEST_F(Sinks, files_that_several_begin_have_one_header) {
  const auto first = make_csv_sink(path("a.csv"), {}), second = make_csv_sink(path("a.csv"), {});
  first->begin({});
  second->begin({});
  first->add({}, {});
  second->add({}, {});
  EXPECT_EQ(parse_csv(read(path("a.csv"))).size(), 3U);
}

TEST(Header, names_the_path_and_what_it_does_not_use) {
  RunContext context;
  context.ranks = {{"a", "10.0.0.1"}};
  context.path = {Transport::tcp, MemoryKind::host, Network::tcp};
  context.environment = {{"NCCL_ALGO", "Ring"}, {"OMP_NUM_THREADS", "1"}};
  const auto text = path_in_words(context);
  EXPECT_THAT(text, HasSubstr("# transport: tcp, memory: host, network: tcp\n"));
  EXPECT_THAT(text, HasSubstr("not used by tcp: NCCL_ALGO\n"));
  EXPECT_THAT(text, HasSubstr("Rank  0 on a (10.0.0.1)"));
  context.path = {Transport::nccl, MemoryKind::cuda, std::nullopt};
  EXPECT_THAT(path_in_words(context), AllOf(Not(HasSubstr("NCCL_ALGO")), HasSubstr("network: see each row")));
}

TEST_F(Sinks, samples_are_json_lines_with_the_context_first) {
  const auto sink = make_samples_sink(path("s.jsonl"));
  RunContext context;
  context.run_id = "r1";
  context.arguments = {"--csv", "odd \"name\""};
  sink->begin(context);
  sink->add(row(0, 10), {.time_us = {{1, 2}, {3, 4}}, .entry_us = {{0, 5}, {0, 6}}, .clock_error_us = 0.5});
  std::istringstream lines(read(path("s.jsonl")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line)["context"]["arguments"][1], "odd \"name\"");
  std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line)["time_us"][1][0], 3);
  EXPECT_FALSE(nlohmann::json::parse(line).contains("computation_us")) << "of training steps only";
  sink->add(row(0, 10),
            {.time_us = {{5}, {5}}, .entry_us = {{0}, {0}}, .computation_us = {{3}, {4}}, .late_us = {{0}, {1}}});
  std::istringstream again(read(path("s.jsonl")));
  for (int i = 0; i < 3; ++i) std::getline(again, line);
  EXPECT_EQ(nlohmann::json::parse(line)["late_us"][1][0], 1);
}

TEST_F(Sinks, console_is_the_table_of_nccl_tests) {
  std::FILE* file = std::fopen(path("table").c_str(), "w");
  const auto sink = make_console_sink(file, true);
  sink->begin({.program = "ringmark all_reduce", .arguments = {"-b", "1K"}});
  sink->add(row(0, 12.345), {});
  sink->add(row(1, 123.45), {});
  sink->finish();
  std::fclose(file);
  EXPECT_EQ(read(path("table")),
            "# ringmark all_reduce -b 1K\n"
            "#\n"
            "#                                                              out-of-place                       "
            "in-place          \n"
            "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   "
            "busbw  #wrong\n"
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  "
            "(GB/s)        \n"
            "        1024           256     float     sum      -1    12.35    0.08    0.12       0    123.5    0.01    "
            "0.01       0\n"
            "# Out of bounds values : 0 OK\n"
            "# Avg bus bandwidth    : 0.0684326 \n"
            "#\n");
}

TEST_F(Sinks, console_names_the_algorithm_above_the_rows_that_ran_it) {
  std::FILE* file = std::fopen(path("table").c_str(), "w");
  const auto sink = make_console_sink(file, false);
  sink->begin({.program = "ringmark all_reduce"});
  for (const auto* algorithm : {"recursive_doubling", "ring", "ring"}) {
    auto record = row(0, 12.345);
    record.algorithm_used = algorithm;
    sink->add(record, {});
  }
  sink->finish();
  std::fclose(file);
  std::vector<std::string> lines;
  std::istringstream text(read(path("table")));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 13U);
  EXPECT_NE(lines[5].find("recursive_doubling"), std::string::npos);
  EXPECT_NE(lines[7].find("ring"), std::string::npos);
  for (const std::size_t row : {6U, 8U, 9U}) EXPECT_NE(lines[row].find("1024"), std::string::npos) << lines[row];
}

TEST_F(Sinks, console_has_a_line_for_each_group_with_both_of_its_rows) {
  std::FILE* file = std::fopen(path("table").c_str(), "w");
  const auto sink = make_console_sink(file, true);
  const auto add = [&](const std::string& group, int in_place, double time_us) {
    auto record = row(in_place, time_us);
    record.settings.group = group;
    sink->add(record, {});
  };
  for (const int size : {0, 1}) {
    for (const auto* group : {"tp0", "tp1", "tp"}) add(group, 0, 11 + size);
    add("tp0", 1, 21 + size);
    if (size == 0) add("tp1", 1, 31);
    add("tp", 1, 41 + size);
  }
  sink->finish();
  std::fclose(file);
  std::vector<std::vector<std::string>> times;
  std::istringstream lines(read(path("table")));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    const std::vector<std::string> cells{std::istream_iterator<std::string>(words), {}};
    times.push_back({cells.at(5), cells.at(9)});
  }
  EXPECT_EQ(times, (std::vector<std::vector<std::string>>{{"11.00", "21.00"},
                                                          {"11.00", "31.00"},
                                                          {"11.00", "41.00"},
                                                          {"12.00", "22.00"},
                                                          {"12.00", "N/A"},
                                                          {"12.00", "42.00"}}));
}

}  // namespace
}  // namespace ringmark

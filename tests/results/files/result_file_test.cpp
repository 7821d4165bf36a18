#include "results/files/result_file.hpp"

#include <algorithm>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/files.hpp"

namespace ringmark {
namespace {

// The contract's header, letter by letter: other tools index by it.
constexpr const char* contract_header =
    "schema,run_id,time_utc,transport,network,memory,algorithm,collective,datatype,op,in_place,timing,ranks,nodes,"
    "repetition,size_bytes,count,samples,time_us_min,time_us_p50,time_us_p95,time_us_p99,time_us_max,time_us_mean,"
    "time_us_ci_low,time_us_ci_high,algbw_GBps,busbw_GBps,busbw_GBps_ci_low,busbw_GBps_ci_high,algorithm_used,"
    "protocol_used,channels_used,start,entry_skew_us_p50,issue_us_p50,device_us_p50,wire_bytes,retransmits,time_sliced,"
    "slowest_rank,wrong_elements,stop_reason,status,detail,settings";

// Columns that came later stand behind it.
TEST(ResultFile, header_begins_with_the_contract) {
  const auto header = write_csv(record_header());
  EXPECT_THAT(header, testing::StartsWith(contract_header));
  EXPECT_EQ(header, std::string(contract_header) + ",launch,caveats\n");
}

Record read_back(const CsvRow& header, const CsvRow& row) {
  const auto records = read_records(write_csv(header) + write_csv(row));
  EXPECT_THAT(records, testing::SizeIs(1));
  return records.at(0);
}

Record full_record() {
  Record r;
  r.run_id = "r, \"1\"";
  r.collective = Collective::all_reduce;
  r.in_place = 1;
  r.size_bytes = 1ULL << 40;
  r.time_us_p50 = 12.25;
  r.channels_used = 4;
  r.wire_bytes = 77;
  r.wrong_elements = 0;
  r.settings = settings_from({{"tcp.sockets", "4"}, {"x", "quote\" and \\ and \n"}});
  r.extra = {{"NCCL_ALGO", "Ring"}};
  return r;
}

TEST(ResultFile, records_survive_writing_and_reading) {
  const std::vector<std::string> extra{"NCCL_ALGO"};
  const auto table = parse_csv(write_csv(record_header(extra)) + write_csv(to_csv(full_record(), extra)));
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(read_back(table[0], table[1]), full_record());
}

TEST(ResultFile, rows_of_each_schema_survive_writing_and_reading) {
  auto link = full_record();
  link.schema = Schema::link;
  link.collective = LinkTest::burst;
  link.link = {2, 3};
  auto step = full_record();
  step.schema = Schema::replay;
  step.collective = TrainingStep{};
  step.step = StepResult{.model = "m", .slow_down = {{3, 1.2}}, .micro_hidden_us = {1, 2}};
  for (const auto& record : {link, step}) {
    auto columns = own_header(record.schema);
    columns.emplace_back("NCCL_ALGO");
    const auto table = parse_csv(write_csv(record_header(columns)) + write_csv(to_csv(record, columns)));
    EXPECT_EQ(read_back(table[0], table[1]), record);
  }
}

TEST(ResultFile, a_row_of_a_launch_may_name_several_types_and_operations) {
  auto planned = full_record();
  planned.datatype = Listed<DataType>({DataType::float32, DataType::int8});
  planned.op = Listed<ReduceOp>({ReduceOp::sum, ReduceOp::max});
  planned.collective = Listed<Workload>({LinkTest::latency, LinkTest::bandwidth});
  const auto columns = std::vector<std::string>{"NCCL_ALGO"};
  const auto header = record_header(columns), row = to_csv(planned, columns);
  EXPECT_EQ(read_back(header, row), planned);
  const auto cell = [&](std::string_view name) {
    return row[static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin())];
  };
  EXPECT_EQ(cell("datatype"), "float32,int8");
  EXPECT_EQ(cell("op"), "sum,max");
  EXPECT_EQ(cell("collective"), "latency,bandwidth");
}

TEST(ResultFile, records_with_a_problem_are_told_with_the_line_they_begin_at) {
  auto damaged = full_record();
  damaged.detail = "two\nlines";
  const auto text = write_csv(record_header()) + write_csv(to_csv(damaged)) + "\n" + write_csv(to_csv(damaged));
  EXPECT_THAT(read_records(text), testing::SizeIs(2));
  try {
    read_records(text + "1,2\n");
    ADD_FAILURE();
  } catch (const CsvError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("line 7: 2 of 48 cells"));
  }
}

TEST(ResultFile, columns_that_lack_may_be_blank) {
  const auto records = read_records("ranks,tcp.sockets\n3,8\n", LackingColumn::is_blank);
  Record expected;
  expected.ranks = 3, expected.extra = {{"tcp.sockets", "8"}};
  EXPECT_THAT(records, testing::ElementsAre(expected));
  EXPECT_THROW(read_records("ranks\n3\n"), CsvError);
  EXPECT_THAT(read_records(""), testing::IsEmpty());
}

TEST(ResultFile, figures_that_do_not_exist_are_empty_cells) {
  const auto header = record_header();
  const auto row = to_csv(Record{});
  const auto p99 = std::find(header.begin(), header.end(), "time_us_p99") - header.begin();
  EXPECT_EQ(row[static_cast<std::size_t>(p99)], "");
}

TEST(ResultFile, names_line_and_column_of_what_is_no_number) {
  const auto header = record_header();
  auto row = to_csv(full_record());
  row[static_cast<std::size_t>(std::find(header.begin(), header.end(), "ranks") - header.begin())] = "four";
  try {
    read_back(header, row);
    ADD_FAILURE();
  } catch (const CsvError& error) {
    EXPECT_STREQ(error.what(), "line 2, column ranks: 'four' is not a number");
  }
}

TEST(ResultFile, names_line_and_column_of_a_word_that_the_column_does_not_have) {
  const auto header = record_header();
  for (const std::string column : {"schema", "transport", "network", "memory", "collective", "datatype", "op", "timing",
                                   "start", "stop_reason", "status"}) {
    auto row = to_csv(full_record());
    row[static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin())] = "strange";
    try {
      read_back(header, row);
      ADD_FAILURE() << column;
    } catch (const CsvError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("line 2, column " + column + ": 'strange'"));
    }
  }
}

TEST(ResultFile, what_is_no_status_is_told) {
  const auto header = record_header();
  auto row = to_csv(full_record());
  const auto status = static_cast<std::size_t>(std::find(header.begin(), header.end(), "status") - header.begin());
  row[status] = "ignored";
  EXPECT_EQ(read_back(header, row).status, Status::ignored);
  row[status] = "fine";
  EXPECT_THROW(read_back(header, row), CsvError);
}

/// The cells of a file's rows as they are, and as their records are written.
void expect_same_cells(const std::string& path) {
  const auto text = read_file(path);
  ResultFile file(text, path);
  ASSERT_TRUE(file.is_of_earlier_revision());
  int rows = 0;
  for (; file.next(); ++rows) {
    const auto record = file.record();
    for (std::size_t i = 0; i < file.header().size(); ++i) {
      const auto& name = file.header()[i];
      if (name == "detail") continue;
      EXPECT_EQ(cell_of(record, name), file.cells()[i]) << path << " " << name;
    }
  }
  EXPECT_GT(rows, 0) << path;
  EXPECT_EQ(file.cut_off(), "");
}

TEST(ResultFile, of_an_earlier_revision_gives_the_same_records) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RINGMARK_SOURCE_DIR "/tests/results/files/earlier")) {
    if (entry.path().extension() != ".csv") continue;
    expect_same_cells(entry.path());
    ++files;
  }
  EXPECT_EQ(files, 10);
}

TEST(ResultFile, of_an_earlier_revision_has_its_launches_and_caveats) {
  const auto rows = read_records(read_file(RINGMARK_SOURCE_DIR "/tests/results/files/earlier/sweep/results.csv"));
  for (const auto& row : rows) {
    EXPECT_EQ(row.detail, "");
    const bool is_mpi = row.transport == Transport::mpi;
    EXPECT_EQ(row.caveats,
              (is_mpi ? std::vector<Caveat>{PollingOnSharedCores{.ranks = 4, .cores = 2}} : std::vector<Caveat>{}));
    ASSERT_TRUE(row.launch);
    EXPECT_EQ(row.run_id.substr(row.run_id.rfind('.')), "." + std::to_string(*row.launch));
  }
  EXPECT_THAT(rows, testing::SizeIs(12));
}

/// A cell that the column can hold: of words, another record's; of numbers, a random one.
Record random_record(std::mt19937& random) {
  const auto any = [&random](auto... values) {
    const std::array all{values...};
    return all[random() % all.size()];
  };
  Record row;
  row.schema = any(Schema::collective, Schema::link, Schema::replay);
  row.run_id = any("v1.2", "run.7", "=a", "with, comma");
  if (random() % 2 == 0) row.launch = random() % 1000;
  row.transport = any(Transport::tcp, Transport::mpi);
  row.network = any(Network(Network::tcp), Network(Network::ib));
  row.collective = any(Collective::all_reduce, Collective::all_to_all);
  row.datatype = DataType::bfloat16;
  row.in_place = static_cast<int>(random() % 2);
  row.ranks = 1 + static_cast<int>(random() % 4096);
  row.size_bytes = random();
  if (random() % 2 == 0) row.time_us_p50 = 0.25 * static_cast<double>(1 + random() % 1000);
  if (random() % 2 == 0) row.retransmits = random();
  row.start = any(Start::barrier, Start::window);
  row.status = any(Status::ok, Status::timeout);
  row.detail = any("", "4 ranks share 2 cores", "two; remarks");
  if (random() % 2 == 0) row.settings.root = static_cast<int>(random() % 8);
  row.settings.groups = any("", "tp:2,dp");
  if (random() % 2 == 0) row.settings.beside = any(Company::alone, Company::together);
  if (random() % 2 == 0) row.settings.senders = 3;
  row.settings.hosts = any("", "node[01-04]*2");
  if (random() % 2 == 0) row.settings.others = {{"tcp.sockets", "4"}, {"label.site", "\"x\", y"}};
  if (random() % 2 == 0) row.caveats = {PollingOnSharedCores{.ranks = 8, .cores = 2}, Retransmission{random()}};
  if (random() % 2 == 0) row.caveats.emplace_back(WideInterval{31.5});
  if (row.schema == Schema::link) row.link = LinkEnds{static_cast<int>(random() % 9), 2};
  if (row.schema == Schema::replay) row.step = StepResult{.model = "m", .slow_down = {{1, 1.5}}, .bubble_us = 2.5};
  if (random() % 2 == 0) row.extra = {{"NCCL_ALGO", "Ring"}};
  return row;
}

TEST(ResultFile, any_record_survives_writing_and_reading) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const auto record = random_record(random);
    auto columns = own_header(record.schema);
    for (const auto& [name, value] : record.extra) columns.push_back(name);
    ASSERT_EQ(read_back(record_header(columns), to_csv(record, columns)), record);
  }
}

TEST(ResultFile, a_run_is_called_as_it_was_called) {
  Record row;
  row.run_id = "v1.2";
  const auto read = read_back(record_header(), to_csv(row));
  EXPECT_EQ(read.run_id, "v1.2");
  EXPECT_EQ(read.launch, std::nullopt);
}

}  // namespace
}  // namespace ringmark

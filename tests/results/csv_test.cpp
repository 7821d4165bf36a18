#include "results/csv.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/columns.hpp"

namespace ringmark {
namespace {

// The contract's header, letter by letter: other tools index by it.
constexpr const char* contract_header =
    "schema,run_id,time_utc,transport,network,memory,algorithm,collective,datatype,op,in_place,timing,ranks,nodes,"
    "repetition,size_bytes,count,samples,time_us_min,time_us_p50,time_us_p95,time_us_p99,time_us_max,time_us_mean,"
    "time_us_ci_low,time_us_ci_high,algbw_GBps,busbw_GBps,busbw_GBps_ci_low,busbw_GBps_ci_high,algorithm_used,"
    "protocol_used,channels_used,start,entry_skew_us_p50,issue_us_p50,device_us_p50,wire_bytes,retransmits,time_sliced,"
    "slowest_rank,wrong_elements,stop_reason,status,detail,settings\n";

TEST(Csv, header_is_the_contract) { EXPECT_EQ(write_csv(record_header()), contract_header); }

TEST(Csv, quotes_what_must_be_quoted) {
  EXPECT_EQ(write_csv({"plain", "a,b", "say \"hi\"", "two\nlines", ""}),
            "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\n");
}

TEST(Csv, any_table_survives_writing_and_reading) {
  std::mt19937 random(7);
  const std::string alphabet = "a,\"\r\n ;x=-'@";
  for (int round = 0; round < 2000; ++round) {
    std::vector<CsvRow> table(1 + random() % 4);
    std::string text;
    for (auto& row : table) {
      row.resize(1 + random() % 5);
      for (auto& cell : row) {
        for (auto length = random() % 6; length > 0; --length) cell += alphabet[random() % alphabet.size()];
      }
      text += write_csv(row);
    }
    ASSERT_EQ(parse_csv(text), table) << text;
  }
}

TEST(Csv, texts_are_no_formulas_and_numbers_stay_numbers) {
  const CsvRow cells{"=1+1", "+cmd|x", "-x", "@sum", "'=1", "-1.5", "+3e-7", "-", "it's", "'quoted'", "=a,b"};
  const auto line = write_csv(cells);
  EXPECT_EQ(line, "'=1+1,'+cmd|x,'-x,'@sum,''=1,-1.5,+3e-7,-,it's,'quoted',\"'=a,b\"\n");
  EXPECT_EQ(parse_csv(line), std::vector<CsvRow>{cells});
}

TEST(Csv, reads_other_line_ends_and_a_missing_last_one) {
  const std::vector<CsvRow> expected{{"a", "b"}, {"1", ""}};
  EXPECT_EQ(parse_csv("a,b\r\n1,\r\n"), expected);
  EXPECT_EQ(parse_csv("a,b\n\n1,"), expected);
}

TEST(Csv, names_the_line_of_a_broken_quote) {
  const auto message_of = [](const char* text) -> std::string {
    try {
      parse_csv(text);
    } catch (const CsvError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message_of("a\nb,\"open"), "line 2: a quote is not closed");
  EXPECT_EQ(message_of("a\n\"b\"c\n"), "line 2: text after a closing quote");
}

Record full_record() {
  Record r;
  r.run_id.run = "r, \"1\"";
  r.collective = Collective::all_reduce;
  r.in_place = 1;
  r.size_bytes = 1ULL << 40;
  r.time_us_p50 = 12.25;
  r.channels_used = 4;
  r.wire_bytes = 77;
  r.wrong_elements = 0;
  r.settings = {{"tcp.sockets", "4"}, {"x", "quote\" and \\ and \n"}};
  r.extra = {{"NCCL_ALGO", "Ring"}};
  return r;
}

TEST(Csv, records_survive_writing_and_reading) {
  const std::vector<std::string> extra{"NCCL_ALGO"};
  const auto table = parse_csv(write_csv(record_header(extra)) + write_csv(to_csv(full_record(), extra)));
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(from_csv(table[0], table[1], 2), full_record());
}

TEST(Csv, rows_of_each_schema_survive_writing_and_reading) {
  auto link = full_record();
  link.schema = Schema::link;
  link.collective = LinkTest::burst;
  link.link = {2, 3};
  auto step = full_record();
  step.schema = Schema::replay;
  step.collective = TrainingStep{};
  step.step = StepResult{.model = "m", .slow_down = {{3, 1.2}}, .micro_hidden_us = {1, 2}};
  for (const auto& record : {link, step}) {
    auto columns = own_columns(record.schema);
    columns.emplace_back("NCCL_ALGO");
    const auto table = parse_csv(write_csv(record_header(columns)) + write_csv(to_csv(record, columns)));
    EXPECT_EQ(from_csv(table[0], table[1], 2), record);
  }
}

TEST(Csv, a_row_of_a_launch_may_name_several_types_and_operations) {
  auto planned = full_record();
  planned.datatype = Listed<DataType>({DataType::float32, DataType::int8});
  planned.op = Listed<ReduceOp>({ReduceOp::sum, ReduceOp::max});
  planned.collective = Listed<Workload>({LinkTest::latency, LinkTest::bandwidth});
  const auto columns = std::vector<std::string>{"NCCL_ALGO"};
  const auto header = record_header(columns), row = to_csv(planned, columns);
  EXPECT_EQ(from_csv(header, row, 2), planned);
  const auto cell = [&](std::string_view name) {
    return row[static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin())];
  };
  EXPECT_EQ(cell("datatype"), "float32,int8");
  EXPECT_EQ(cell("op"), "sum,max");
  EXPECT_EQ(cell("collective"), "latency,bandwidth");
}

TEST(Csv, a_sweeps_variable_comes_before_what_the_program_tells_of_it) {
  Record row;
  row.schema = Schema::replay;
  row.step = StepResult{.model = "m"};
  row.extra = {{"overlap", "unset"}};
  EXPECT_EQ(cell_of(row, "overlap"), "unset");
  EXPECT_EQ(cell_of(row, "model"), "m");
  EXPECT_EQ(figure_of(row, "ranks"), 0);
  EXPECT_EQ(figure_of(row, "model"), std::nullopt);
}

TEST(Csv, records_with_a_problem_are_told_with_the_line_they_begin_at) {
  auto damaged = full_record();
  damaged.detail = "two\nlines";
  const auto text = write_csv(record_header()) + write_csv(to_csv(damaged)) + "\n" + write_csv(to_csv(damaged));
  EXPECT_THAT(read_records(text), testing::SizeIs(2));
  try {
    read_records(text + "1,2\n");
    ADD_FAILURE();
  } catch (const CsvError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("line 7: 2 cells"));
  }
}

TEST(Csv, columns_that_lack_may_be_blank) {
  const auto records = read_records("ranks,tcp.sockets\n3,8\n", LackingColumn::is_blank);
  Record expected;
  expected.ranks = 3, expected.extra = {{"tcp.sockets", "8"}};
  EXPECT_THAT(records, testing::ElementsAre(expected));
  EXPECT_THROW(read_records("ranks\n3\n"), CsvError);
  EXPECT_THAT(read_records(""), testing::IsEmpty());
}

TEST(Csv, figures_that_do_not_exist_are_empty_cells) {
  const auto header = record_header();
  const auto row = to_csv(Record{});
  const auto p99 = std::find(header.begin(), header.end(), "time_us_p99") - header.begin();
  EXPECT_EQ(row[static_cast<std::size_t>(p99)], "");
}

TEST(Csv, names_line_and_column_of_what_is_no_number) {
  const auto header = record_header();
  auto row = to_csv(full_record());
  row[static_cast<std::size_t>(std::find(header.begin(), header.end(), "ranks") - header.begin())] = "four";
  try {
    from_csv(header, row, 9);
    ADD_FAILURE();
  } catch (const CsvError& error) {
    EXPECT_STREQ(error.what(), "line 9, column ranks: 'four' is not a number");
  }
}

TEST(Csv, names_line_and_column_of_a_word_that_the_column_does_not_have) {
  const auto header = record_header();
  for (const std::string column : {"schema", "transport", "network", "memory", "collective", "datatype", "op", "timing",
                                   "start", "stop_reason", "status"}) {
    auto row = to_csv(full_record());
    row[static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin())] = "strange";
    try {
      from_csv(header, row, 9);
      ADD_FAILURE() << column;
    } catch (const CsvError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("line 9, column " + column + ": 'strange'"));
    }
  }
}

TEST(Csv, what_is_no_status_is_told) {
  const auto header = record_header();
  auto row = to_csv(full_record());
  const auto status = static_cast<std::size_t>(std::find(header.begin(), header.end(), "status") - header.begin());
  row[status] = "ignored";
  EXPECT_EQ(from_csv(header, row, 9).status, Status::ignored);
  row[status] = "fine";
  EXPECT_THROW(from_csv(header, row, 9), CsvError);
}

TEST(Columns, cells_are_found_by_name_in_the_contract_and_beyond) {
  const Record record{.transport = Transport::tcp, .ranks = 4, .extra = {{"tcp.sockets", "2"}}};
  EXPECT_EQ(cell_of(record, "transport"), "tcp");
  EXPECT_EQ(cell_of(record, "ranks"), "4");
  EXPECT_EQ(cell_of(record, "tcp.sockets"), "2");
  EXPECT_EQ(cell_of(record, "tcp.slice"), std::nullopt);
  EXPECT_TRUE(is_contract_column("ranks"));
  EXPECT_FALSE(is_contract_column("tcp.sockets"));
}

}  // namespace
}  // namespace ringmark

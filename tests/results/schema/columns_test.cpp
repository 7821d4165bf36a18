#include "results/schema/columns.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/files/csv.hpp"

namespace ringmark {
namespace {

/// Each field has another value.
const StepResult full{.model = "m",
                      .framework = "f",
                      .zero_stage = 3,
                      .micro_steps = 4,
                      .micro_batch = 5,
                      .overlap = "o",
                      .gradients = "g",
                      .device = "d",
                      .compute_used = ComputeMode::asleep,
                      .slow_down = {{6, 1.5}, {7, 2}},
                      .computation_us = 8.125,
                      .communication_us = 9,
                      .exposed_us = 10,
                      .hidden_us = 11,
                      .exposed_fwd_us = 12,
                      .exposed_bwd_us = 13,
                      .exposed_step_us = 14,
                      .hidden_fwd_us = 15,
                      .hidden_bwd_us = 16,
                      .hidden_step_us = 17,
                      .samples_per_s = 18.5,
                      .tokens_per_s = 19,
                      .waited_for = 20,
                      .step_wire_bytes = 2.1e9,
                      .collectives = 22,
                      .compute_scale = 0.23,
                      .size_scale = 0.24,
                      .micro_computation_us = {25, 26.5},
                      .micro_exposed_us = {27, 28},
                      .micro_hidden_us = {29, 30},
                      .parallelism = "p",
                      .bubble_us = 31};

std::size_t fields_of_a_step() {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a2, b2, c2, d2, e2, f2] =
      full;
  const auto count = [](const auto&... fields) { return sizeof...(fields); };
  return count(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a2, b2, c2, d2, e2, f2);
}

Record record_of(const StepResult& step) {
  Record record;
  record.schema = Schema::replay;
  record.step = step;
  return record;
}

TEST(OwnColumns, hold_every_field_of_a_step_once) {
  const auto columns = own_columns_of(Schema::replay);
  EXPECT_EQ(columns.size(), fields_of_a_step());
  const auto record = record_of(full);
  Record read;
  std::set<std::string_view> names;
  std::set<std::string> cells;
  for (const auto& column : columns) {
    names.insert(column.name);
    cells.insert(column.cell(record));
    column.read(column.cell(record), read);
  }
  EXPECT_EQ(names.size(), fields_of_a_step());
  EXPECT_EQ(cells.size(), fields_of_a_step());
  EXPECT_EQ(read.step, full);
}

TEST(OwnColumns, have_empty_cells_where_nothing_is_known) {
  for (const auto& column : own_columns_of(Schema::replay)) EXPECT_EQ(column.cell({}), "") << column.name;
}

TEST(OwnColumns, write_lists_with_blanks_and_times_with_three_digits) {
  const auto record = record_of(full);
  EXPECT_EQ(cell_of(record, "micro_computation_us"), "25.000 26.500");
  EXPECT_EQ(cell_of(record, "slow_down"), "6=1.5 7=2");
  EXPECT_EQ(cell_of(record, "computation_us"), "8.125");
  EXPECT_EQ(cell_of(record, "step_wire_bytes"), "2100000000");
  EXPECT_EQ(cell_of(record, "compute_scale"), "0.23");
  EXPECT_EQ(cell_of(record, "compute_used"), "asleep");
}

TEST(OwnColumns, refuse_what_they_would_not_write) {
  Record record;
  const auto read = [&](std::string_view name, std::string_view cell) {
    find_own_column(Schema::replay, name)->read(cell, record);
  };
  EXPECT_THROW(read("zero_stage", "three"), CsvError);
  EXPECT_THROW(read("slow_down", "3"), CsvError);
  EXPECT_THROW(read("micro_hidden_us", "1,2"), CsvError);
  EXPECT_THROW(read("compute_used", "lazy"), CsvError);
}

TEST(OwnColumns, keep_their_types) {
  const auto record = record_of({.model = "m",
                                 .zero_stage = 2,
                                 .computation_us = 8.12345,
                                 .step_wire_bytes = 2.1e9,
                                 .micro_computation_us = {25, 26.5}});
  const auto value = [&](const char* name) { return find_own_column(Schema::replay, name)->value(record); };
  EXPECT_EQ(value("model"), TypedCell("m"));
  EXPECT_EQ(value("zero_stage"), TypedCell(std::int64_t{2}));
  EXPECT_EQ(value("computation_us"), TypedCell(8.12345)) << "all its digits";
  EXPECT_EQ(value("step_wire_bytes"), TypedCell(std::int64_t{2100000000}));
  EXPECT_EQ(value("micro_computation_us"), TypedCell("25.000 26.500"));
  EXPECT_EQ(value("exposed_us"), TypedCell());
  EXPECT_EQ(find_own_column(Schema::replay, "src"), nullptr) << "a column of another schema";
  EXPECT_EQ(figure_of(record, "zero_stage"), 2);
  EXPECT_EQ(figure_of(record, "model"), std::nullopt);
}

TEST(Columns, have_names_of_their_own) {
  std::set<std::string_view> names;
  std::size_t columns = 0;
  for (const auto& some :
       {contract_columns(), own_columns_of(Schema::link), own_columns_of(Schema::replay), settings_keys()}) {
    columns += some.size();
    for (const auto& column : some) {
      names.insert(column.name);
      EXPECT_FALSE(column.meaning.empty()) << column.name;
    }
  }
  EXPECT_EQ(names.size(), columns);
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

TEST(Columns, a_sweeps_variable_comes_before_what_the_program_reports_of_it) {
  auto row = record_of({.model = "m"});
  row.extra = {{"overlap", "unset"}};
  EXPECT_EQ(cell_of(row, "overlap"), "unset");
  EXPECT_EQ(cell_of(row, "model"), "m");
  EXPECT_EQ(figure_of(row, "ranks"), 0);
}

TEST(Roles, tell_choices_from_what_was_measured_and_what_was_pretended) {
  for (const char* choice : {"NCCL_ALGO", "tcp.sockets", "algorithm", "zero", "reduce-bucket", "overlap", "gradients"})
    EXPECT_TRUE(is_choice(choice)) << choice;
  for (const char* of_case :
       {"sizes", "ranks", "ranks_per_node", "model", "pairs", "device", "root", "label.cluster"}) {
    EXPECT_EQ(role_of(of_case), Role::benchmark_case) << of_case;
    EXPECT_FALSE(is_choice(of_case)) << of_case;
  }
  for (const char* distortion : {"scale-compute", "compute_scale", "slow-down", "slow_down", "compute_used"})
    EXPECT_EQ(role_of(distortion), Role::distortion) << distortion;
  for (const char* origin : {"hosts", "version", "src_host", "dst_host", "launch"})
    EXPECT_EQ(role_of(origin), Role::origin) << origin;
  for (const char* version : {"nccl_version", "driver_version", "mpi_version", "ibverbs_version"})
    EXPECT_EQ(role_of(version), Role::library_version) << version;
  EXPECT_TRUE(is_measured("exposed_us"));
  EXPECT_TRUE(is_measured("busbw_GBps"));
  EXPECT_FALSE(is_measured("model"));
  EXPECT_EQ(role_of("tcp.sockets"), std::nullopt);
  EXPECT_EQ(replay_flag("zero_stage"), "zero");
  EXPECT_EQ(replay_flag("overlap"), "overlap");
  EXPECT_EQ(replay_flag("tcp.sockets"), "tcp.sockets");
}

TEST(Roles, know_every_rate) {
  int rates = 0;
  for (const auto& columns : {contract_columns(), own_columns_of(Schema::replay)}) {
    for (const auto& column : columns) {
      const bool is_per_time = column.name.find("GBps") != std::string::npos || column.name.ends_with("_per_s");
      EXPECT_EQ(column.role == Role::rate, is_per_time) << column.name;
      rates += is_per_time;
    }
  }
  EXPECT_EQ(rates, 6);
}

}  // namespace
}  // namespace ringmark

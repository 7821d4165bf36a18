#include "results/replay_columns.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/columns.hpp"
#include "results/csv.hpp"

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

TEST(ReplayColumns, hold_every_field_of_a_step_once) {
  EXPECT_EQ(replay_columns().size(), fields_of_a_step());
  StepResult read;
  std::set<std::string_view> names;
  std::set<std::string> cells;
  for (const auto& column : replay_columns()) {
    names.insert(column.name);
    cells.insert(column.cell(full));
    column.read(column.cell(full), read);
  }
  EXPECT_EQ(names.size(), fields_of_a_step());
  EXPECT_EQ(cells.size(), fields_of_a_step());
  EXPECT_EQ(read, full);
}

TEST(ReplayColumns, have_empty_cells_where_nothing_is_known) {
  for (const auto& column : replay_columns()) EXPECT_EQ(column.cell({}), "") << column.name;
}

TEST(ReplayColumns, write_lists_with_blanks_and_times_with_three_digits) {
  const auto cell = [](std::string_view name) { return find_replay_column(name)->cell(full); };
  EXPECT_EQ(cell("micro_computation_us"), "25.000 26.500");
  EXPECT_EQ(cell("slow_down"), "6=1.5 7=2");
  EXPECT_EQ(cell("computation_us"), "8.125");
  EXPECT_EQ(cell("step_wire_bytes"), "2100000000");
  EXPECT_EQ(cell("compute_scale"), "0.23");
  EXPECT_EQ(cell("compute_used"), "asleep");
}

TEST(ReplayColumns, refuse_what_they_would_not_write) {
  StepResult step;
  const auto read = [&](std::string_view name, std::string_view cell) { find_replay_column(name)->read(cell, step); };
  EXPECT_THROW(read("zero_stage", "three"), CsvError);
  EXPECT_THROW(read("slow_down", "3"), CsvError);
  EXPECT_THROW(read("micro_hidden_us", "1,2"), CsvError);
  EXPECT_THROW(read("compute_used", "lazy"), CsvError);
}

TEST(ReplayColumns, are_figures_or_say_what_was_replayed) {
  EXPECT_TRUE(is_replay_figure("exposed_us"));
  EXPECT_FALSE(is_replay_figure("model"));
  EXPECT_FALSE(is_replay_figure("NCCL_ALGO"));
  EXPECT_EQ(replay_flag("zero_stage"), "zero");
  EXPECT_EQ(replay_flag("overlap"), "overlap");
  EXPECT_EQ(replay_flag("tcp.sockets"), "tcp.sockets");
}

TEST(ReplayColumns, keep_their_types) {
  Record row;
  row.schema = Schema::replay;
  row.step = StepResult{.model = "m",
                        .zero_stage = 2,
                        .computation_us = 8.12345,
                        .step_wire_bytes = 2.1e9,
                        .micro_computation_us = {25, 26.5}};
  EXPECT_EQ(own_value(row, "model"), TypedCell("m"));
  EXPECT_EQ(own_value(row, "zero_stage"), TypedCell(std::int64_t{2}));
  EXPECT_EQ(own_value(row, "computation_us"), TypedCell(8.12345)) << "all its digits";
  EXPECT_EQ(own_value(row, "step_wire_bytes"), TypedCell(std::int64_t{2100000000}));
  EXPECT_EQ(own_value(row, "micro_computation_us"), TypedCell("25.000 26.500"));
  EXPECT_EQ(own_value(row, "exposed_us"), TypedCell());
  EXPECT_EQ(own_value(row, "src"), TypedCell()) << "a column of another schema";
  EXPECT_EQ(figure_of(row, "zero_stage"), 2);
  EXPECT_EQ(figure_of(row, "model"), std::nullopt);
}

}  // namespace
}  // namespace ringmark

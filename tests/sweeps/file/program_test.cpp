#include "sweeps/file/program.hpp"

#include <gtest/gtest.h>

namespace ringmark::sweep {
namespace {

TEST(Program, rows_of_the_table_stand_in_the_order_of_the_enumeration) {
  for (const auto& facts : all_programs()) {
    EXPECT_EQ(facts_of(facts.program).name, facts.name);
    EXPECT_EQ(parse_program(facts.name), facts.program);
    EXPECT_EQ(facts.executable, "ringmark-" + std::string(facts.name));
  }
  EXPECT_EQ(all_programs().back().program, Program::replay);
  EXPECT_EQ(name(Program::all_reduce), "all-reduce");
  EXPECT_EQ(facts_of(Program::reduce_scatter).collective, Collective::reduce_scatter);
  EXPECT_EQ(facts_of(Program::all_gather).collective, Collective::all_gather);
  EXPECT_EQ(facts_of(Program::send_recv).collective, Collective::send_recv);
  EXPECT_EQ(facts_of(Program::all_to_all).executable, "ringmark-all-to-all");
  EXPECT_EQ(facts_of(Program::link).schema, Schema::link);
  EXPECT_EQ(facts_of(Program::replay).schema, Schema::replay);
  EXPECT_EQ(facts_of(Program::replay).subcommand, "run");
}

TEST(Program, has_a_name_that_a_sweep_file_knows) {
  EXPECT_EQ(parse_program("all-reduce"), Program::all_reduce);
  EXPECT_EQ(parse_program("all_reduce"), std::nullopt);
  EXPECT_EQ(parse_program("sweep"), std::nullopt);
}

}  // namespace
}  // namespace ringmark::sweep

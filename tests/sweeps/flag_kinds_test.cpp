// Every flag that a sweep can vary says whether it is a choice: one that nobody classified fails here.
#include <set>

#include <gtest/gtest.h>

#include "bench/flags/link_options.hpp"
#include "bench/flags/options.hpp"
#include "replay/flags/command_line.hpp"
#include "results/column_kinds.hpp"
#include "results/replay_columns.hpp"

namespace ringmark {
namespace {

/// The names without dashes of all flags that a sweep's programs take.
std::set<std::string> all_flags() {
  std::set<std::string> flags;
  const auto add = [&](const std::vector<FlagFacts>& facts) {
    for (const auto& flag : facts) {
      if (flag.subcommand.empty() || flag.subcommand == "run")
        flags.insert(flag.name.substr(flag.name.find_first_not_of('-')));
    }
  };
  for (const auto collective : all_collectives()) add(bench_flags(collective));
  add(link_flags());
  add(replay::replay_flags());
  return flags;
}

TEST(FlagKinds, every_flag_of_the_measuring_programs_has_one) {
  // Questions, files, and what a sweep sets itself.
  const std::set<std::string> not_varied{
      "help",    "version",  "list", "list-options", "explain",    "list-parameters", "csv",  "json",     "label",
      "samples", "timeline", "set",  "run-id",       "repetition", "rendezvous",      "rank", "failures", "format"};
  const auto flags = all_flags();
  EXPECT_GT(flags.size(), 40U) << "the lists of flags are not whole";
  for (const auto& flag : flags)
    EXPECT_NE(kind_of(flag).has_value(), not_varied.contains(flag)) << flag << ": say in column_kinds.cpp what it is";
}

TEST(FlagKinds, columns_of_a_replay_are_of_the_kind_of_their_flags) {
  for (const auto& column : replay_columns()) {
    EXPECT_NE(kind_of(column.name).has_value(), column.is_figure) << column.name;
    EXPECT_EQ(kind_of(column.flag), kind_of(column.name)) << column.name;
  }
}

}  // namespace
}  // namespace ringmark

// Every flag that a sweep can vary says whether it is a choice: one that nobody classified fails here.
#include <set>

#include <gtest/gtest.h>

#include "bench/flags/link_options.hpp"
#include "bench/flags/options.hpp"
#include "replay/flags/command_line.hpp"
#include "results/schema/columns.hpp"

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

bool is_varied(const std::string& flag) {
  const auto role = role_of(flag);
  return role == Role::benchmark_case || role == Role::choice || role == Role::distortion;
}

TEST(FlagRoles, every_flag_of_the_measuring_programs_has_one) {
  // Questions, files, and what a sweep sets itself.
  const std::set<std::string> not_varied{
      "help",    "version",  "list", "list-options", "explain",    "list-parameters", "csv",  "json",     "label",
      "samples", "timeline", "set",  "run-id",       "repetition", "rendezvous",      "rank", "failures", "format"};
  const auto flags = all_flags();
  EXPECT_GT(flags.size(), 40U) << "the lists of flags are not whole";
  for (const auto& flag : flags)
    EXPECT_NE(is_varied(flag), not_varied.contains(flag)) << flag << ": say in results/schema/columns.cpp what it is";
}

}  // namespace
}  // namespace ringmark

#include "sweeps/sbatch_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string sweep_of_slurm =
    "question: \"Is it fast?\\nrm -rf /\"\nprogram: all-reduce\nlauncher: mpich\narguments: {sizes: 1K}\n"
    "ranks_per_node: 4\nvariables: {ranks: [4, 32], transport: [tcp, mpi]}\n";

std::string script_of(const Overrides& overrides, const std::string& time_limit = "30") {
  return sbatch_script(check_sweep(sweep_of_slurm, "s.yaml", overrides), "s.yaml", overrides,
                       {"/shared/my results", time_limit});
}

TEST(SbatchScript, asks_for_what_the_largest_setting_needs) {
  const auto script = script_of({});
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --nodes=8\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --ntasks-per-node=4\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --time=30\n"));
  EXPECT_THAT(script, HasSubstr("results='/shared/my results'\n"));
  EXPECT_THAT(script, HasSubstr(" --launcher slurm "));
}

TEST(SbatchScript, hands_flags_on) {
  Overrides overrides;
  overrides.launcher = "openmpi";
  overrides.ranks_per_node = 2;
  overrides.variables = {{"ranks", "4"}, {"transport", "[tcp, mpi]"}};
  overrides.labels = {"cluster=eu1"};
  const auto script = script_of(overrides);
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --nodes=2\n"));
  EXPECT_THAT(script, HasSubstr(" --launcher openmpi --ranks-per-node 2 --variable ranks=4 "));
  EXPECT_THAT(script, HasSubstr("'transport=[tcp, mpi]'"));
  EXPECT_THAT(script, HasSubstr(" --label cluster=eu1"));
}

TEST(SbatchScript, has_no_command_from_a_question) { EXPECT_THAT(script_of({}), Not(HasSubstr("\nrm -rf"))); }

TEST(SbatchScript, refuses_what_is_no_time_limit) {
  for (const auto* limit : {"", "1 hour", "5\n#SBATCH --uid=0"}) EXPECT_THROW(script_of({}, limit), BadUsage) << limit;
}

}  // namespace
}  // namespace ringmark::sweep

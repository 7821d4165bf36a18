#include "sweeps/training/training_run.hpp"

#include <gmock/gmock.h>

#include "tests/sweeps/training/training_fixture.hpp"

namespace ringmark::sweep {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using TrainingRunTest = TrainingFixture;

TEST_F(TrainingRunTest, names_files_beside_it_and_keeps_what_may_change) {
  const auto run = read(
      "model: llama-440m\nds_config: ds.json\ncompute: {device: a100}\nranks: 8\nranks_per_node: 2\n"
      "hosts: 'node[1-4]'\nlauncher: openmpi\narguments: {transport: tcp, tcp.spin: 0}\nenvironment: {A: b}\n"
      "budget: {launches: 40, time: 10min}\nverify: 4\nglobal_batch: 64\n"
      "change: {collective: {tcp.sockets: [unset, 4]}, strategy: {stage: [1, 2]}, framework: no}\n");
  EXPECT_EQ(run.model, "llama-440m");
  EXPECT_EQ(run.ds_config, folder_.file("ds.json"));
  EXPECT_EQ(run.base.hosts.size(), 4U);
  EXPECT_EQ(run.base.launcher.kind, LauncherKind::open_mpi);
  EXPECT_EQ(run.budget_launches, 40);
  EXPECT_EQ(run.budget_time, std::chrono::minutes(10));
  EXPECT_EQ(run.global_batch, 64U);
  ASSERT_TRUE(run.collective && run.strategy && run.framework);
  ASSERT_EQ(run.collective->size(), 1U);
  EXPECT_THAT(run.collective->front().values, ElementsAre(Value(), Value("4")));
  EXPECT_THAT(run.strategy->at("stage"), ElementsAre("1", "2"));
  EXPECT_TRUE(run.framework->empty());
  EXPECT_EQ(read("model: model.json\n").model, folder_.file("model.json"));
}

TEST_F(TrainingRunTest, tells_all_problems_with_their_lines) {
  const auto found = problems([&] {
    read(
        "model: a\ntrace: b\nranks: none\nbudget: {lunches: 3}\nlauncher: none\n"
        "arguments: {transport: tcp, tcp.sockets: 2}\nchange: {collective: {tcp.sockets: [1], iters: [2]}}\n");
  });
  EXPECT_THAT(found, AllOf(Contains(HasSubstr("run.yaml:2: model")), Contains(HasSubstr("run.yaml:3: ranks")),
                           Contains(AllOf(HasSubstr("run.yaml:4: budget"), HasSubstr("lunches"))),
                           Contains(AllOf(HasSubstr("run.yaml:5: launcher"), HasSubstr("mpich"))),
                           Contains(AllOf(HasSubstr("run.yaml:7: "), HasSubstr("tcp.sockets"))),
                           Contains(AllOf(HasSubstr("run.yaml:7: "), HasSubstr("iters")))));
  EXPECT_THAT(problems([&] { read("ranks: 2\n"); }), ElementsAre(HasSubstr("model: is missing")));
}

TEST_F(TrainingRunTest, takes_hosts_and_ranks_of_the_command_line) {
  Overrides overrides;
  overrides.hosts = {"x", "y"};
  overrides.ranks_per_node = 3;
  const auto run = read("model: llama-440m\nranks: 2\n", overrides);
  EXPECT_THAT(run.base.hosts, UnorderedElementsAre("x", "y"));
  EXPECT_EQ(run.base.ranks, 6);
}

}  // namespace
}  // namespace ringmark::sweep

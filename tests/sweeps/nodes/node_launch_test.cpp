#include "sweeps/nodes/node_launch.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "base/system/files.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/launch/process_group.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using namespace std::chrono_literals;

class NodeLaunch : public testing::Test {
 protected:
  Command part(const std::string& rest, int node, const std::vector<std::string>& program) {
    sweep_ = read_sweep("question: Why?\nprogram: all-reduce\n" + rest, "s.yaml").sweep;
    return node_part(sweep_, resolve(sweep_, Plan(sweep_).setting(0)), program, node, {"host-0", 29500, "a run"});
  }
  Ending run(const Command& command) { return run_command(command, {20s, 100ms, log_, mark_}, signals_); }

  Sweep sweep_;
  testing_support::ResultFolder folder_;
  std::string log_ = folder_.file("log"), mark_ = "node-launch-" + std::to_string(::getpid());
  SignalQueue signals_;
};

TEST_F(NodeLaunch, a_shell_gives_each_rank_of_a_node_its_number) {
  const auto command =
      part("launcher: none\nranks: 5\nranks_per_node: 3\n", 1,
           {"/bin/sh", "-c", R"(echo "$RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT $1")",
            "sh", "two words"});
  EXPECT_EQ(run(command).raw_status, 0);
  std::ifstream log(log_);
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"3 0 5 2 host-0 29500 two words", "4 1 5 2 host-0 29500 two words"}));
}

TEST_F(NodeLaunch, a_node_ends_with_the_largest_status_of_its_ranks) {
  const auto command =
      part("launcher: none\nranks: 3\nranks_per_node: 3\n", 0, {"/bin/sh", "-c", "exit $((RANK == 1 ? 4 : RANK))"});
  EXPECT_EQ(WEXITSTATUS(run(command).raw_status), 4);
}

TEST_F(NodeLaunch, torchrun_is_told_the_node_and_the_place) {
  const auto words =
      part("launcher: {kind: torchrun, arguments: [--max_restarts=0]}\nranks: 4\nranks_per_node: 2\n", 1, {"prog"})
          .words;
  EXPECT_EQ(words,
            (std::vector<std::string>{"torchrun", "--no_python", "--nnodes=2", "--node_rank=1", "--nproc_per_node=2",
                                      "--master_addr=host-0", "--master_port=29500", "--max_restarts=0", "prog"}));
}

TEST_F(NodeLaunch, rank_0_leaves_its_status_in_a_file) {
  for (const auto* rank : {"0", "1"}) {
    const auto file = folder_.file(rank);
    const auto ending = run({leaving_status({"/bin/sh", "-c", "exit 4"}, file), {{"RANK", rank}}});
    EXPECT_EQ(WEXITSTATUS(ending.raw_status), 4);
    EXPECT_EQ(read_if_readable(file), *rank == '0' ? "4\n" : "");
  }
}

}  // namespace
}  // namespace ringmark::sweep

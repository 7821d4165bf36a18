// Sweeps whose nodes another system starts, without MPI: a shell loop and torchrun on hosts of a lab.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "tests/programs/torchrun.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// On this machine.
class SweepsOfNodes : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(results_.file(name)) << text;
    return results_.file(name);
  }
  std::string sweep_file(const std::string& name, const std::string& rest) const {
    return write(name, "question: Does it start anywhere?\nlauncher: mpich\n" + rest);
  }
  ResultFolder results_;
};

class SweepsOnNodes : public SweepsOfNodes {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  }
  /// A script that starts `words` of ringmark-sweep on each of the lab's hosts, with `start` before them, runs
  /// `meanwhile`, and waits; $r is the host's number, ${pids[$r]} its process.
  std::string on_each(int hosts, const std::string& start, const std::string& words,
                      const std::string& meanwhile = "") const {
    return "for r in $(seq 0 " + std::to_string(hosts - 1) + "); do\n  " + bin + "/ringmark-lab exec $r -- " + start +
           " " + bin + "/ringmark-sweep " + words + " &\n  pids[$r]=$!\ndone\n" + meanwhile +
           "\nfor r in ${!pids[@]}; do wait ${pids[$r]}; echo host $r: status $?; done\n";
  }
  ShellResult in_lab(int hosts, const std::string& script) const {
    return run(bin + "/ringmark-lab run --hosts " + std::to_string(hosts) + " --rate 1gbit -- bash " +
                   write("script.sh", script),
               120);
  }
  nlohmann::json manifest(const std::string& name) const {
    return nlohmann::json::parse(read_file(results_.file(name) + "/manifest.json"));
  }

  static inline const std::string loop =
      "env RANK=$r WORLD_SIZE=3 MASTER_ADDR=host-0 MASTER_PORT=29500 RINGMARK_TOKEN=a-secret";
};

TEST_F(SweepsOnNodes, a_shell_loop_starts_a_sweep_that_is_stopped_and_goes_on) {
  const auto file = sweep_file("s.yaml",
                               "program: [all-reduce, reduce-scatter, all-gather]\n"
                               "arguments: {sizes: 64K, iters: 5, warmup: 1, in-place: \"no\"}\nrepetitions: 5\n");
  const auto words = "run " + file + " --launcher none --ranks-per-node 2 -o " + results_.file("r");
  const auto journal = results_.file("r/journal");
  const auto stop_once_begun =
      until("[ $(cat " + journal + " 2>/dev/null | wc -l) -ge 2 ]") + "; kill -TERM ${pids[0]}";
  const auto begun = in_lab(3, on_each(3, loop, words, stop_once_begun));
  EXPECT_TRUE(has(begun.output, "host 0: status 143") && has(begun.output, "host 1: status 143")) << begun.output;
  constexpr std::size_t launches = 15;
  ASSERT_LT(results_.records("r/results.csv").size(), launches);
  const auto resumed = in_lab(3, on_each(3, loop, "resume " + results_.file("r")));
  for (const auto* host : {"host 0: status 0", "host 1: status 0", "host 2: status 0"})
    EXPECT_TRUE(has(resumed.output, host)) << resumed.output;
  const auto rows = results_.records("r/results.csv");
  ASSERT_EQ(rows.size(), launches) << resumed.output;
  for (const auto& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.detail;
    EXPECT_EQ(row.ranks, 6);
    EXPECT_EQ(row.nodes, 3);
  }
  const auto sittings = manifest("r").at("sittings");
  ASSERT_EQ(sittings.size(), 2U);
  EXPECT_EQ(sittings[0].at("how"), "interrupted");
  EXPECT_EQ(sittings[1].at("hosts").at("names"), nlohmann::json({"host-0", "host-1", "host-2"}));
  EXPECT_TRUE(sittings[1].at("nodes").contains("host-2"));
}

TEST_F(SweepsOfNodes, too_few_nodes_and_hosts_that_nobody_asked_for_are_told_on_every_node) {
  const auto file = sweep_file("s.yaml", "program: all-reduce\narguments: {sizes: 64K}\n");
  const auto few = run(bin + "/ringmark-sweep run " + file + " --launcher none --ranks 4 --ranks-per-node 2 -o " +
                       results_.file("f"));
  EXPECT_EQ(few.status, 2) << few.output;
  EXPECT_TRUE(has(few.output, "needs 2 nodes")) << few.output;
  const auto hosts = run(bin + "/ringmark-sweep run " + file + " --launcher none --hosts a,b -o " + results_.file("h"));
  EXPECT_EQ(hosts.status, 2) << hosts.output;
  EXPECT_TRUE(has(hosts.output, "--hosts")) << hosts.output;
  const auto plan =
      run(bin + "/ringmark-sweep run " + file + " --launcher none --ranks 4 --ranks-per-node 2 --dry-run");
  EXPECT_EQ(plan.status, 0) << plan.output;
  EXPECT_TRUE(has(plan.output, "# needs 2 nodes")) << plan.output;
}

TEST_F(SweepsOfNodes, a_file_that_init_writes_without_mpirun_can_be_looked_at_here) {
  const auto result =
      run("env -u RANK PATH= " + bin + "/ringmark-sweep init --hosts a,b -o " + results_.file("i.yaml") + " && " + bin +
          "/ringmark-sweep run --dry-run " + results_.file("i.yaml"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(read_file(results_.file("i.yaml")), "launcher: none")) << result.output;
}

TEST_F(SweepsOfNodes, several_need_a_secret) {
  const auto file = sweep_file("s.yaml", "program: all-reduce\narguments: {sizes: 64K}\n");
  for (const auto* rank : {"0", "1"}) {
    const auto node = run("env -u RINGMARK_TOKEN_FILE -u RINGMARK_TOKEN RANK=" + std::string(rank) +
                          " WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 " + bin + "/ringmark-sweep run " + file +
                          " --launcher none --timeout 5 -o " + results_.file("n"));
    EXPECT_EQ(node.status, 2) << node.output;
    EXPECT_TRUE(has(node.output, "RINGMARK_TOKEN_FILE")) << node.output;
  }
  EXPECT_FALSE(std::filesystem::exists(results_.file("n")));
}

TEST_F(SweepsOfNodes, a_sweep_with_a_launcher_of_its_own_goes_on_without_nodes) {
  const auto file = sweep_file("s.yaml", "program: all-reduce\narguments: {sizes: 64K, iters: 5, in-place: \"no\"}\n");
  const auto begun = run(bin + "/ringmark-sweep run " + file + " --launcher local -o " + results_.file("o"));
  ASSERT_EQ(begun.status, 0) << begun.output;
  // Rank 1 of nodes would wait for the first one.
  const auto resumed = run("RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 RINGMARK_TOKEN=a-secret " + bin +
                           "/ringmark-sweep resume " + results_.file("o") + " --timeout 5");
  EXPECT_EQ(resumed.status, 0) << resumed.output;
}

TEST_F(SweepsOnNodes, torchrun_starts_the_nodes_of_a_link_matrix_and_the_ranks_of_a_step) {
  if (const auto reason = why_no_torchrun(); !reason.empty()) GTEST_SKIP() << reason;
  const auto link = sweep_file("l.yaml", "program: link\narguments: {iters: 5, pairs: all, test: latency, sizes: 8}\n");
  const auto step = sweep_file("p.yaml",
                               "program: replay\narguments: {model: opt-125m, framework: pytorch-ddp, forward-ms: 1, "
                               "backward-ms: 1, scale-sizes: 0.01, iters: 2}\nvariables: {transport: [tcp, mpi]}\n");
  const auto torchrun =
      "env RINGMARK_TOKEN=a-secret torchrun --no_python --nnodes 2 --node_rank $r --nproc_per_node 1 --master_addr "
      "host-0 --master_port 29400";
  const auto result =
      in_lab(2, on_each(2, torchrun, "run " + link + " --launcher none -o " + results_.file("l")) +
                    on_each(2, "env RANK=$r WORLD_SIZE=2 MASTER_ADDR=host-0 MASTER_PORT=29600 RINGMARK_TOKEN=a-secret",
                            "run " + step + " --launcher torchrun --ranks-per-node 2 -o " + results_.file("p")));
  const auto links = results_.records("l/results.csv");
  ASSERT_EQ(links.size(), 2U) << result.output;
  for (const auto& row : links) EXPECT_EQ(row.status, Status::ok) << row.detail;
  const auto steps = results_.records("p/results.csv");
  ASSERT_EQ(steps.size(), 2U) << result.output;
  for (const auto& row : steps) {
    // torchrun's own status would hide that MPI is not there.
    const bool is_mpi = row.transport.value() == Transport::mpi;
    EXPECT_EQ(row.status, is_mpi ? Status::unsupported : Status::ok) << row.detail;
    EXPECT_EQ(row.ranks, 4);
  }
}

TEST_F(SweepsOfNodes, torchrun_alone_starts_the_ranks_of_this_node) {
  if (const auto reason = why_no_torchrun(); !reason.empty()) GTEST_SKIP() << reason;
  const auto file = sweep_file("s.yaml", "program: all-reduce\narguments: {sizes: 64K, iters: 5, in-place: \"no\"}\n");
  const auto result = run(bin + "/ringmark-sweep run " + file + " --launcher torchrun -o " + results_.file("a"));
  EXPECT_EQ(result.status, 0) << result.output;
  const auto rows = results_.records("a/results.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].ranks, 2);
}

}  // namespace
}  // namespace ringmark

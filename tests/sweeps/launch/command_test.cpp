#include "sweeps/launch/command.hpp"

#include <gtest/gtest.h>

#include "base/text/shell_text.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/tune/ready_files.hpp"

namespace ringmark::sweep {
namespace {

struct Case {
  Sweep sweep;
  Setting setting;
};

Case first_of(const std::string& rest) {
  auto file = read_sweep("question: Why?\nprogram: all-reduce\nranks: 4\n" + rest, "s.yaml");
  EXPECT_TRUE(file.problems.empty()) << to_text(file.problems);
  return {file.sweep, Plan(file.sweep).setting(0)};
}

std::string line_of(const std::string& rest) {
  const auto [sweep, setting] = first_of(rest);
  return shell_words(launch_command(sweep, resolve(sweep, setting), {"prog", "--x"}).words);
}

TEST(Command, ranks_have_hosts_only_where_those_hold_all) {
  const auto hosts_with = [](const std::string& rest) {
    const auto [sweep, setting] = first_of(rest);
    return hosts_of_ranks(sweep, resolve(sweep, setting));
  };
  using Hosts = std::vector<std::string>;
  EXPECT_EQ(hosts_with("hosts: [a, b, c]\nranks_per_node: 3\n"), (Hosts{"a", "a", "a", "b"}));
  EXPECT_EQ(hosts_with("hosts: [a, b]\n"), Hosts()) << "the launcher says how many are on each";
  EXPECT_EQ(hosts_with(""), Hosts());
}

TEST(Command, each_launcher_is_told_ranks_and_hosts_in_its_own_words) {
  EXPECT_EQ(line_of(""), "mpirun.mpich -n 4 prog --x");
  const std::string hosts = "hosts: [a, b, c]\nranks_per_node: 2\n";
  EXPECT_EQ(line_of(hosts), "mpirun.mpich -n 4 -ppn 2 -hosts a,b prog --x");
  EXPECT_EQ(line_of(hosts + "launcher: openmpi\n"),
            "mpirun.openmpi -n 4 --map-by ppr:2:node:oversubscribe -H a:2,b:2 prog --x");
  EXPECT_EQ(line_of(hosts + "launcher: srun\n"), "srun -n 4 --ntasks-per-node 2 -w a,b prog --x");
  EXPECT_EQ(line_of("launcher: local\n"), "prog --x --ranks 4");
  EXPECT_EQ(line_of("launcher: {kind: mpich, command: /opt/mpi/bin/mpirun, arguments: [-bind-to, core]}\n"),
            "/opt/mpi/bin/mpirun -n 4 -bind-to core prog --x");
  EXPECT_EQ(line_of(hosts +
                    "launcher: {command: [jsrun, \"-n{ranks}\", -r, \"{ranks_per_node}\", \"-N={nodes}\", \"{hosts}\", "
                    "\"{command}\", --end]}\n"),
            "jsrun -n4 -r 2 -N=2 a,b,c prog --x --end");
}

TEST(Command, the_environment_is_set_on_the_rank_itself) {
  const auto [sweep, setting] =
      first_of("environment: {NCCL_DEBUG: INFO WARN}\nvariables: {NCCL_ALGO: [unset], NCCL_PROTO: [LL]}\n");
  const auto command = launch_command(sweep, resolve(sweep, setting), {"prog"});
  EXPECT_EQ(shell_words(command.words),
            "mpirun.mpich -n 4 /usr/bin/env -u NCCL_ALGO 'NCCL_DEBUG=INFO WARN' NCCL_PROTO=LL prog");
  EXPECT_EQ(command.environment.at("NCCL_ALGO"), std::nullopt);
  EXPECT_EQ(command.environment.at("NCCL_PROTO"), "LL");
}

TEST(Command, no_word_holds_a_value_of_the_environment_that_the_ranks_read_from_a_file) {
  for (const std::string launcher : {"mpich", "openmpi", "srun", "local", "{command: [jsrun, \"{command}\"]}"}) {
    const auto [sweep, setting] =
        first_of("launcher: " + launcher + "\nenvironment: {HIDDEN: s3cret}\nvariables: {NCCL_PROTO: [LL]}\n");
    const auto resolved = resolve(sweep, setting);
    for (const auto& command :
         {launch_command(sweep, resolved, {"prog"}, "/a/file"), node_command(sweep, resolved, {"look"}, "/a/file")}) {
      const auto words = shell_words(command.words);
      EXPECT_EQ(words.find("s3cret"), std::string::npos) << words;
      EXPECT_EQ(words.find("=LL"), std::string::npos) << words;
      if (command.words.front() != "look") {
        EXPECT_NE(words.find(R"(/bin/sh -c '. "$0" && exec "$@"' /a/file )"), std::string::npos) << words;
      }
    }
  }
}

TEST(Command, unset_flags_are_not_given) {
  const auto [sweep, setting] = first_of(
      "arguments: {iters: 3, tcp.slice: 64K}\nvariables: {algorithm: [unset], tcp.sockets: [2], tcp.spin: [unset]}\n");
  EXPECT_EQ(shell_words(program_words(resolve(sweep, setting))),
            path_of("ringmark-all-reduce") + " --iters=3 --set=tcp.slice=64K --set=tcp.sockets=2");
}

TEST(Command, variables_change_ranks_and_programs) {
  const auto [sweep, setting] = first_of("variables: {ranks: [16], ranks_per_node: [8]}\n");
  EXPECT_EQ(shell_words(launch_command(sweep, resolve(sweep, setting), {"prog"}).words),
            "mpirun.mpich -n 16 -ppn 8 prog");
  EXPECT_EQ(shell_words(node_command(sweep, resolve(sweep, setting), {"look"}).words), "mpirun.mpich -n 2 -ppn 1 look");
}

TEST(ReadyFiles, hold_the_winner_for_a_shell_and_for_nccl) {
  const auto [sweep, setting] =
      first_of("environment: {HOME_OF: it's}\nvariables: {NCCL_ALGO: [Ring], NCCL_PROTO: [unset], tcp.sockets: [2]}\n");
  EXPECT_EQ(
      best_env(ready_settings(sweep, setting, "2 % faster\nover 10 launches\n")),
      "# Why?\n# 2 % faster\n# over 10 launches\nexport HOME_OF='it'\\''s'\nexport NCCL_ALGO=Ring\nunset NCCL_PROTO\n"
      "export RINGMARK_ARGUMENTS=--set=tcp.sockets=2\n");
  EXPECT_EQ(nccl_conf(ready_settings(sweep, setting, "because")), "# Why?\n# because\nNCCL_ALGO=Ring\n");
  EXPECT_EQ(nccl_tuner_csv(sweep, setting), "") << "no protocol";
  const auto tuner = [](const std::string& algorithm) {
    const auto [named, values] = first_of(
        "ranks_per_node: 2\nenvironment: {NCCL_PROTO: LL128}\ntune: {objective: {sizes: {1K: 1, 64K: 2}}}\nvariables: "
        "{NCCL_ALGO: [\"" +
        algorithm + "\"]}\n");
    return nccl_tuner_csv(named, values);
  };
  EXPECT_EQ(tuner("allreduce:NVLSTree"), "allreduce,0,4611686018427387904,nvls_tree,ll128,-1,2,4\n");
  EXPECT_EQ(tuner("^Ring"), "");
  EXPECT_EQ(tuner("broadcast:Ring"), "");
  EXPECT_EQ(tuner("Ring;allreduce:Tree"), "");
}

}  // namespace
}  // namespace ringmark::sweep

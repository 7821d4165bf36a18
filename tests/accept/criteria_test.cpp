#include "accept/criteria.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

TEST(Criteria, are_read_with_their_units) {
  const auto [criteria, problems] = read_criteria(
      "name: rack 7\nlauncher: openmpi\nhosts: 'node[01-04]'\nleaves: {a: 'node[01-02]', b: 'node[03-04]'}\n"
      "arguments: {transport: tcp, tcp.sockets: 2}\nloss: 5 %\nfalse_alarm: 1e-4\nmiss: 0.01\n"
      "rails: 2\nstep: {zero: 3}\n"
      "expect: {link_GBps: 24, busbw_GBps: 180, step_ms: 50}\nsize: 4M\nstages: [links, nodes]\nbudget: 2min\n",
      "c.yaml");
  EXPECT_EQ(to_text(problems), "");
  EXPECT_EQ(criteria.name, "rack 7");
  EXPECT_EQ(criteria.launcher.kind, sweep::LauncherKind::open_mpi);
  EXPECT_EQ(criteria.fabric.hosts, (std::vector<std::string>{"node01", "node02", "node03", "node04"}));
  ASSERT_EQ(criteria.fabric.leaves.size(), 2U);
  EXPECT_EQ(criteria.fabric.leaves[1].hosts, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(criteria.arguments.at("tcp.sockets"), "2");
  EXPECT_DOUBLE_EQ(criteria.rates.loss, 0.05);
  EXPECT_DOUBLE_EQ(criteria.rates.false_alarm, 1e-4);
  EXPECT_DOUBLE_EQ(criteria.rates.miss, 0.01);
  EXPECT_EQ(criteria.link_GBps, 24);
  EXPECT_EQ(criteria.busbw_GBps, 180);
  EXPECT_EQ(criteria.step_ms, 50);
  EXPECT_EQ(criteria.fabric.rails, 2U);
  EXPECT_EQ(criteria.step.at("zero"), "3");
  EXPECT_EQ(criteria.size_bytes, std::size_t{4} << 20U);
  EXPECT_EQ(criteria.stages, (std::vector{Stage::nodes, Stage::links})) << "in the order of the stages";
  EXPECT_EQ(criteria.budget, std::chrono::minutes(2));
}

TEST(Criteria, have_arguments_of_a_stage_or_of_a_program) {
  const auto [criteria, problems] = read_criteria(
      "hosts: 'a,b,c'\narguments: {transport: tcp, all_reduce: {algorithm: ring, max-time: 1}, "
      "together: {algorithm: halving_doubling}}\nexpect: {busbw_GBps: 1, algorithm: ring}\n",
      "c.yaml");
  EXPECT_EQ(to_text(problems), "");
  EXPECT_EQ(criteria.arguments.size(), 1U);
  EXPECT_EQ(criteria.arguments_of.at(Stage::soak).at("algorithm"), "ring");
  EXPECT_EQ(criteria.arguments_of.at(Stage::together).at("algorithm"), "halving_doubling");
  EXPECT_EQ(criteria.arguments_of.at(Stage::together).at("max-time"), "1");
  EXPECT_FALSE(criteria.arguments_of.contains(Stage::links));
  EXPECT_EQ(criteria.busbw_algorithm, "ring");
}

TEST(Criteria, take_a_share_as_a_percentage_or_a_number) {
  for (const auto& [text, loss] : {std::pair("20 %", 0.2), {"20%", 0.2}, {"20", 0.2}, {"1", 0.01}, {"0.2", 0.2}}) {
    const auto [criteria, problems] = read_criteria(fmt::format("hosts: 'a,b,c'\nloss: {}\n", text), "c.yaml");
    EXPECT_EQ(to_text(problems), "");
    EXPECT_DOUBLE_EQ(criteria.rates.loss, loss) << text;
  }
}

struct Bad {
  const char *text, *key;
  int line;
};

TEST(Criteria, have_problems_with_their_lines) {
  for (const auto& [text, key, line] :
       {Bad{"loss: 10 %\n", "hosts", 1},
        Bad{"hosts: 'a,b'\n", "hosts", 1},
        Bad{"hosts: 'a,b,a'\n", "hosts", 1},
        Bad{"hosts: 'a,b,c'\nloss: 0\n", "loss", 2},
        Bad{"hosts: 'a,b,c'\nmiss: 60 %\n", "miss", 2},
        Bad{"hosts: 'a,b,c'\nloss: 95\n", "loss", 2},
        Bad{"hosts: 'a,b,c'\nloss: 0.95\n", "loss", 2},
        Bad{"hosts: 'a,b,c'\nrails: 1.5\n", "rails", 2},
        Bad{"hosts: 'a,b,c'\nspines: 0\n", "spines", 2},
        Bad{"hosts: 'a,b,c'\nlauncher: local\n", "launcher", 2},
        Bad{"hosts: 'a,b,c'\nstages: [racks]\n", "stages", 2},
        Bad{"hosts: 'a,b,c'\nstages: []\n", "stages", 2},
        Bad{"hosts: 'a,b,c'\nstages: [rails]\n", "rails", 2},
        Bad{"hosts: 'a,b,c'\nstages: [leaves]\n", "leaves", 2},
        Bad{"hosts: 'a,b,c'\nsize: 10\n", "size", 2},
        Bad{"hosts: 'a,b,c'\nleaves: {x: d}\n", "leaves", 2},
        Bad{"hosts: 'a,b,c'\nleaves: {x: a, y: 'a,b,c'}\n", "leaves", 2},
        Bad{"hosts: 'a,b,c'\nleaves: {x: 'a,b'}\n", "leaves", 2},
        Bad{"hosts: 'a,b,c'\nhost: a\n", "host", 2},
        Bad{"hosts: 'a,b,c'\narguments: {racks: {max-time: 1}}\n", "arguments.racks", 2}}) {
    const auto problems = read_criteria(text, "c.yaml").problems;
    ASSERT_FALSE(problems.empty()) << text;
    EXPECT_NE(to_text(problems).find(key), std::string::npos) << text;
    EXPECT_EQ(problems.front().place.value().line, line) << text;
  }
}

TEST(Criteria, have_one_problem_with_a_number_that_is_none) {
  for (const std::string key : {"loss", "false_alarm", "miss", "size"}) {
    for (const std::string value : {"[20]", "{a: 20}", "''", ""}) {
      const auto problems = read_criteria("hosts: 'a,b,c'\n" + key + ": " + value + "\n", "c.yaml").problems;
      ASSERT_EQ(problems.size(), 1U) << key << " " << value;
      EXPECT_TRUE(problems.front().text.starts_with(key)) << problems.front().text;
    }
  }
}

TEST(Criteria, know_stages_by_their_former_key) {
  const auto [criteria, problems] = read_criteria("hosts: 'a,b,c'\nrungs: [nodes]\n", "c.yaml");
  EXPECT_EQ(to_text(problems), "");
  EXPECT_EQ(criteria.stages, std::vector{Stage::nodes});
}

TEST(Criteria, take_all_stages_that_the_fabric_has) {
  const auto stages = [](const std::string& more) {
    return read_criteria("hosts: 'a,b,c,d'\n" + more, "c.yaml").criteria.stages;
  };
  EXPECT_EQ(stages(""), (std::vector{Stage::nodes, Stage::links, Stage::together, Stage::step}));
  EXPECT_EQ(stages("rails: 2\nleaves: {x: 'a,b', y: 'c,d'}\n"),
            (std::vector{Stage::nodes, Stage::links, Stage::rails, Stage::leaves, Stage::together, Stage::step}));
}

TEST(Criteria, in_a_box_need_no_hosts) {
  const auto lab = R"({"hosts":["a","b","c"],"leaves":{},"spines":0,"rails":1})";
  const auto [criteria, problems] = read_criteria("loss: 5 %\n", "c.yaml", lab);
  EXPECT_EQ(to_text(problems), "");
  EXPECT_EQ(criteria.fabric.hosts.size(), 3U);
  EXPECT_TRUE(criteria.is_box);
}

TEST(Criteria, let_two_hosts_be_held_against_an_expectation) {
  EXPECT_EQ(to_text(read_criteria("hosts: 'a,b'\nexpect: {link_GBps: 24}\n", "c.yaml").problems), "");
}

}  // namespace
}  // namespace ringmark::accept

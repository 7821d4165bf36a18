#include "sweeps/nodes/nodes.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/nodes/node_agent.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto secret_variable = "RINGMARK_TOKEN";

/// Three nodes with a rank each, which are processes of this machine; this one leads.
class NodesOfASweep : public testing::Test {
 protected:
  static constexpr int count = 3;

  void SetUp() override {
    ::setenv(secret_variable, "a secret", 1);
    for (int rank = 1; rank < count; ++rank) {
      const pid_t child = ::fork();
      if (child == 0) {
        int status = 99;
        try {
          status = serve_node(place(rank), 20s);
        } catch (const Interrupted& error) {
          status = error.exit_status();
        } catch (const std::exception&) {
          status = 98;
        }
        ::_exit(status);
      }
      agents_.push_back(child);
    }
    nodes_.emplace(place(0), 20s);
    signals_.emplace();
    sweep_ = read_sweep("question: Why?\nprogram: all-reduce\nlauncher: none\nranks: 3\n", "s.yaml").sweep;
  }
  void TearDown() override {
    nodes_.reset();
    for (auto& agent : agents_) status_of(agent);
    signals_.reset();
    ::unsetenv(secret_variable);
  }

  Rendezvous place(int rank) const {
    return {.launcher = "test",
            .source = "the test",
            .host = "127.0.0.1",
            .port = port_,
            .ports = 8,
            .run = run_,
            .rank = rank,
            .ranks = count};
  }
  Ending run(const std::string& words, std::chrono::milliseconds deadline = 20s) {
    return nodes_->run(sweep_, resolve(sweep_, Plan(sweep_).setting(0)), {"/bin/sh", "-c", words},
                       {deadline, 200ms, log_, mark_}, *signals_);
  }
  /// As a shell tells it; -1 if it was asked before.
  int status_of(pid_t& agent) {
    int raw = 0;
    if (agent < 0 || ::waitpid(std::exchange(agent, -1), &raw, 0) < 0) return -1;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }

  std::uint16_t port_ = static_cast<std::uint16_t>(20'000 + ::getpid() % 10'000);
  std::string run_ = "nodes " + std::to_string(::getpid());
  std::vector<pid_t> agents_;
  std::optional<Nodes> nodes_;
  std::optional<SignalQueue> signals_;
  Sweep sweep_;
  testing_support::ResultFolder folder_;
  std::string log_ = folder_.file("log"), mark_ = "of-nodes-" + std::to_string(::getpid()) + "/";
};

TEST_F(NodesOfASweep, each_starts_its_ranks_and_their_outputs_come_together) {
  sweep_.environment = {{"GIVEN", "yes"}};
  for (int launch = 0; launch < 2; ++launch) {
    const auto ending = run("echo rank $RANK of $WORLD_SIZE: $GIVEN");
    EXPECT_EQ(ending.raw_status, 0);
    for (const auto* line : {"rank 0 of 3: yes\n", "rank 1 of 3: yes\n", "rank 2 of 3: yes\n"})
      EXPECT_THAT(read_file(log_), HasSubstr(line));
  }
  EXPECT_EQ(nodes_->loss(), std::nullopt);
  nodes_->finish(1);
  for (auto& agent : agents_) EXPECT_EQ(status_of(agent), 1);
}

TEST_F(NodesOfASweep, a_status_of_any_node_counts) {
  EXPECT_EQ(WEXITSTATUS(run("exit $((RANK == 2 ? 4 : 0))").raw_status), 4);
  EXPECT_EQ(run("true").raw_status, 0) << "the next launch is another one";
}

TEST_F(NodesOfASweep, nothing_is_left_of_a_launch_past_its_deadline) {
  const auto ending = run("trap '' TERM; sleep 1000 & wait", 300ms);
  EXPECT_TRUE(ending.past_deadline);
  EXPECT_EQ(kill_marked(mark_), 0);
  EXPECT_EQ(run("true").raw_status, 0);
}

TEST_F(NodesOfASweep, a_node_that_ends_is_named_and_the_launch_fails) {
  std::thread killer([&] {
    std::this_thread::sleep_for(300ms);
    ::kill(agents_[1], SIGKILL);
  });
  // The ranks on the other nodes end by themselves, as those do whose peer is lost.
  const auto ending = run("[ $RANK = 2 ] || exec sleep 1; exec sleep 3");
  killer.join();
  EXPECT_NE(ending.raw_status, 0);
  const auto loss = nodes_->loss();
  ASSERT_TRUE(loss);
  EXPECT_THAT(*loss, HasSubstr("lost node 2"));
  EXPECT_THAT(read_file(log_), HasSubstr("lost node 2"));
}

TEST_F(NodesOfASweep, the_others_leave_when_the_first_one_is_lost) {
  nodes_.reset();
  for (auto& agent : agents_) EXPECT_EQ(status_of(agent), 3);
}

TEST_F(NodesOfASweep, a_signal_ends_a_node_in_its_launch) {
  std::thread sender([&] {
    std::this_thread::sleep_for(300ms);
    ::kill(agents_[0], SIGTERM);
  });
  run("exec sleep 2");
  sender.join();
  EXPECT_EQ(status_of(agents_[0]), 128 + SIGTERM);
  EXPECT_THAT(nodes_->loss().value_or(""), HasSubstr("lost node 1"));
}

Rendezvous place_of_one(int rank) {
  return {.launcher = "test",
          .source = "the test",
          .host = "127.0.0.1",
          .port = static_cast<std::uint16_t>(31'000 + ::getpid() % 1000),
          .ports = 8,
          .run = "alone",
          .rank = rank,
          .ranks = 3};
}

TEST(NodesOfASweepAlone, nodes_without_a_secret_are_refused_before_they_meet) {
  ::unsetenv(secret_variable);
  const auto flag_of = [](const std::function<void()>& start) -> std::string {
    try {
      start();
      return "";
    } catch (const BadUsage& error) {
      return error.problems().at(0).flag;
    }
  };
  EXPECT_EQ(flag_of([] { const Nodes nodes(place_of_one(0), 300ms); }), secret_variable);
  EXPECT_EQ(flag_of([] { serve_node(place_of_one(1), 300ms); }), secret_variable);
  EXPECT_EQ(Nodes().hosts().size(), 1U) << "a node alone needs none";
}

TEST(NodesOfASweepAlone, absent_nodes_are_named_at_the_deadline) {
  ::setenv(secret_variable, "a secret", 1);
  try {
    const Nodes nodes(place_of_one(0), 300ms);
    ADD_FAILURE() << "two nodes are absent";
  } catch (const TransportError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent 1, 2"));
  }
  ::unsetenv(secret_variable);
}

}  // namespace
}  // namespace ringmark::sweep

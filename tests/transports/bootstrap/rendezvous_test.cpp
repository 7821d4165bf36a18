#include "transports/bootstrap/rendezvous.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/system/host.hpp"

namespace ringmark {
namespace {

/// The launchers' variables, as the test sets them alone.
class RendezvousPlace : public testing::Test {
 protected:
  RendezvousPlace() { clear(); }
  ~RendezvousPlace() override { clear(); }

  static void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE", "TORCHELASTIC_RUN_ID",
          "TORCHELASTIC_RESTART_COUNT", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST",
          "SLURM_JOB_ID", "JOB_COMPLETION_INDEX", "RINGMARK_TOKEN", "RINGMARK_TOKEN_FILE"})
      ::unsetenv(name);
  }
};

TEST_F(RendezvousPlace, is_none_without_a_launcher) { EXPECT_FALSE(rendezvous_from_environment(4)); }

TEST_F(RendezvousPlace, follows_the_variables_of_torchrun) {
  set({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}});
  const auto place = rendezvous_from_environment(std::nullopt);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->launcher, "torchrun");
  EXPECT_EQ(place->rank, 3);
  EXPECT_EQ(place->ranks, 8);
  EXPECT_EQ(place->host, "node1");
  EXPECT_EQ(place->port, 29500);
  EXPECT_EQ(place->ports, 1);
}

TEST_F(RendezvousPlace, leaves_torchruns_own_port_alone) {
  set({{"RANK", "0"},
       {"WORLD_SIZE", "2"},
       {"MASTER_ADDR", "node1"},
       {"MASTER_PORT", "29500"},
       {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  const auto place = rendezvous_from_environment(std::nullopt);
  EXPECT_GT(place->port, 29500);
  EXPECT_GT(place->ports, 1);
}

std::string complaint(std::optional<int> ranks = std::nullopt, std::string_view ranks_flag = "--ranks") {
  try {
    rendezvous_from_environment(ranks, ranks_flag);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST_F(RendezvousPlace, names_a_variable_that_is_missing_or_wrong) {
  set({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}});
  EXPECT_NE(complaint().find("MASTER_PORT"), std::string::npos);
  set({{"MASTER_PORT", "x"}});
  EXPECT_NE(complaint().find("MASTER_PORT=x"), std::string::npos);
  set({{"MASTER_PORT", "29500"}, {"RANK", "2"}});
  EXPECT_NE(complaint().find("RANK is 2"), std::string::npos);
}

TEST_F(RendezvousPlace, follows_the_variables_of_a_slurm_step) {
  set({{"SLURM_STEP_ID", "1"},
       {"SLURM_PROCID", "5"},
       {"SLURM_STEP_NUM_TASKS", "16"},
       {"SLURM_JOB_ID", "123"},
       {"SLURM_STEP_NODELIST", "gpu[07-08,11]"}});
  const auto place = rendezvous_from_environment(std::nullopt);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->host, "gpu07");
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->ranks, 16);
  EXPECT_EQ(place->run, "slurm 123.1");
  set({{"SLURM_STEP_ID", "2"}});
  EXPECT_NE(rendezvous_from_environment(std::nullopt)->port, place->port) << "steps of a job have ports of their own";
}

TEST_F(RendezvousPlace, of_a_slurm_step_on_one_node_needs_no_name_that_resolves) {
  set({{"SLURM_STEP_ID", "1"},
       {"SLURM_PROCID", "1"},
       {"SLURM_STEP_NUM_TASKS", "3"},
       {"SLURM_JOB_ID", "123"},
       {"SLURM_STEP_NODELIST", "no-such-host"}});
  EXPECT_EQ(rendezvous_from_environment(std::nullopt)->host, "127.0.0.1");
}

TEST_F(RendezvousPlace, is_none_in_a_step_of_one_task) {
  set({{"SLURM_STEP_ID", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEP_NODELIST", "a"}});
  EXPECT_FALSE(rendezvous_from_environment(4));
}

TEST_F(RendezvousPlace, of_an_indexed_job_needs_the_number_of_ranks_and_the_pods_name) {
  set({{"JOB_COMPLETION_INDEX", "3"}});
  EXPECT_NE(complaint().find("give --ranks"), std::string::npos);
  EXPECT_NE(complaint(std::nullopt, "--nodes").find("give --nodes"), std::string::npos);
  ASSERT_FALSE(host_name().ends_with("-3"));
  EXPECT_NE(complaint(8).find("MASTER_ADDR"), std::string::npos) << "this host is no pod of the job";
}

TEST_F(RendezvousPlace, comes_from_the_flags) {
  const auto place = rendezvous_at("node1:29500", 1, 2);
  EXPECT_EQ(place.host, "node1");
  EXPECT_EQ(place.port, 29500);
  EXPECT_EQ(rendezvous_at("[fd00::1]:7000", 0, 2).host, "fd00::1");
  for (const char* address : {"node1", "node1:", ":29500", "node1:0", "node1:70000", "node1:x"})
    EXPECT_THROW(rendezvous_at(address, 0, 2), BadUsage) << address;
  EXPECT_THROW(rendezvous_at("node1:29500", 2, 2), BadUsage);
  EXPECT_THROW(rendezvous_at("node1:29500", std::nullopt, 2), BadUsage);
}

TEST_F(RendezvousPlace, has_a_secret_from_a_variable_or_a_file) {
  EXPECT_EQ(shared_secret(), "");
  set({{"RINGMARK_TOKEN", "s3cret"}});
  EXPECT_EQ(shared_secret(), "s3cret");
  const auto file = testing::TempDir() + "token";
  std::ofstream(file) << "from a file\n";
  set({{"RINGMARK_TOKEN_FILE", file}});
  EXPECT_THROW(shared_secret(), BadUsage) << "both are set";
  ::unsetenv("RINGMARK_TOKEN");
  EXPECT_EQ(shared_secret(), "from a file");
  std::ofstream(file) << "\n";
  EXPECT_THROW(shared_secret(), BadUsage) << "an empty secret protects nothing";
  std::ofstream(file) << "  \n";
  EXPECT_THROW(shared_secret(), BadUsage) << "nor does a blank one";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  EXPECT_EQ(doubt_about_secret("16 random bytes."), "");
  EXPECT_NE(doubt_about_secret("short"), "");
  EXPECT_EQ(doubt_about_secret(""), "") << "the header tells that there is none";
  std::filesystem::permissions(file, std::filesystem::perms(0444));
  EXPECT_NE(doubt_about_secret("16 random bytes.").find(file), std::string::npos);
  std::remove(file.c_str());
  EXPECT_THROW(shared_secret(), BadUsage);
}

}  // namespace
}  // namespace ringmark

#include "sweeps/launch/allocation.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

using Names = std::vector<std::string>;

std::optional<Allocation> found(const std::map<std::string, std::string>& variables) {
  return find_allocation([&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  });
}

TEST(Allocation, is_none_outside_of_a_batch_system) { EXPECT_EQ(found({{"SLURM_CONF", "/x"}}), std::nullopt); }

TEST(Allocation, of_slurm_has_hosts_and_tasks_on_each) {
  const auto allocation = found(
      {{"SLURM_JOB_NODELIST", "node[01-03],gpu-[1-2]-ib"}, {"SLURM_NTASKS", "9"}, {"SLURM_TASKS_PER_NODE", "2(x4),1"}});
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->source, AllocationSource::slurm);
  EXPECT_EQ(allocation->from, "SLURM_JOB_NODELIST");
  EXPECT_EQ(names_of(*allocation), (Names{"node01", "node02", "node03", "gpu-1-ib", "gpu-2-ib"}));
  EXPECT_EQ(allocation->hosts[3].slots, 2);
  EXPECT_EQ(ranks_per_node_of(*allocation), 1) << "what every host has room for";
}

TEST(Allocation, of_slurm_takes_cores_for_no_tasks) {
  const std::map<std::string, std::string> whole_nodes{{"SLURM_JOB_NODELIST", "a,b"},
                                                       {"SLURM_TASKS_PER_NODE", "64(x2)"}};
  EXPECT_EQ(ranks_per_node_of(*found(whole_nodes)), std::nullopt);
  auto with_gpus = whole_nodes;
  with_gpus["SLURM_GPUS_ON_NODE"] = "8";
  EXPECT_EQ(ranks_per_node_of(*found(with_gpus)), 8);
  with_gpus["SLURM_NTASKS_PER_NODE"] = "4";
  EXPECT_EQ(ranks_per_node_of(*found(with_gpus)), 4);
}

TEST(Allocation, of_pbs_and_lsf_has_a_slot_for_each_line) {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("nodes")) << "a\na\nb\nb\nb\n";
  for (const auto& [variable, source] : std::map<std::string, AllocationSource>{
           {"PBS_NODEFILE", AllocationSource::pbs}, {"LSB_DJOB_HOSTFILE", AllocationSource::lsf}}) {
    const auto allocation = found({{variable, folder.file("nodes")}});
    ASSERT_TRUE(allocation);
    EXPECT_EQ(allocation->source, source);
    EXPECT_EQ(allocation->hosts, (std::vector<AllocatedHost>{{"a", 2}, {"b", 3}}));
  }
  const auto short_form = found({{"LSB_MCPU_HOSTS", "hostA 4 hostB 2"}});
  EXPECT_EQ(short_form->hosts, (std::vector<AllocatedHost>{{"hostA", 4}, {"hostB", 2}}));
}

TEST(Allocation, of_flux_is_what_flux_says) {
  const testing_support::ResultFolder folder;
  const std::string path = std::getenv("PATH");
  const auto ask = [&](const std::string& script) {
    std::ofstream(folder.file("flux")) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder.file("flux"), std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
    const auto reset = [&] { ::setenv("PATH", path.c_str(), 1); };
    try {
      auto allocation = found({{"FLUX_URI", "local:///x"}, {"SLURM_JOB_NODELIST", "outer"}});
      return reset(), allocation;
    } catch (const BadUsage&) {
      return reset(), std::optional<Allocation>();
    }
  };
  const auto allocation = ask("[ \"$*\" = 'getattr hostlist' ] && echo 'node[1-2]'");
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->source, AllocationSource::flux);
  EXPECT_EQ(names_of(*allocation), (Names{"node1", "node2"}));
  EXPECT_EQ(ask("echo 'node[1-2]'; exit 1"), std::nullopt);
}

TEST(Allocation, that_cannot_be_read_is_refused) {
  EXPECT_THROW(found({{"SLURM_JOB_NODELIST", "node[01-"}}), BadUsage);
  EXPECT_THROW(found({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_NTASKS", "4"}, {"SLURM_TASKS_PER_NODE", "2(x2)"}}),
               BadUsage);
  EXPECT_THROW(found({{"SLURM_JOB_NODELIST", "a"}, {"SLURM_NTASKS_PER_NODE", "many"}}), BadUsage);
  EXPECT_THROW(found({{"PBS_NODEFILE", "/nowhere"}}), BadUsage);
  EXPECT_THROW(found({{"LSB_MCPU_HOSTS", "hostA"}}), BadUsage);
}

TEST(Allocation, comes_back_from_json) {
  const Allocation allocation{AllocationSource::lsf, "LSB_MCPU_HOSTS", {{"a", 4}, {"b", std::nullopt}}};
  EXPECT_EQ(nlohmann::json(allocation).get<Allocation>(), allocation);
}

TEST(HostFile, is_read_as_launchers_read_theirs) {
  const auto hosts = parse_host_file("# a rack\n\nn1 slots=4 max-slots=8\nn2:2  # comment\nn[3-4]\nfd00::7\nn1\n", "f");
  EXPECT_EQ(hosts, (std::vector<AllocatedHost>{
                       {"n1", 5}, {"n2", 2}, {"n3", std::nullopt}, {"n4", std::nullopt}, {"fd00::7", std::nullopt}}));
}

TEST(HostFile, with_anything_else_is_refused) {
  for (const auto* text : {"", "# nothing\n", "-oProxyCommand=x\n", "a slots=0\n", "a:many\n", "a[1-\n"})
    EXPECT_THROW(parse_host_file(text, "f"), BadUsage) << text;
}

}  // namespace
}  // namespace ringmark::sweep

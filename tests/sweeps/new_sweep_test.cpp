#include "sweeps/new_sweep.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "results/schema/columns.hpp"
#include "sweeps/file/checked_sweep.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

namespace fs = std::filesystem;

/// A node below a folder.
class NewSweep : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = "") const {
    const fs::path path = root() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void add_program(const std::string& name) const {
    write("bin/" + name, "#!/bin/sh\n");
    fs::permissions(root() / "bin" / name, fs::perms::owner_all);
  }
  void add_interface(const std::string& name, const std::string& state, const std::string& speed) const {
    write("sys/class/net/" + name + "/operstate", state + "\n");
    write("sys/class/net/" + name + "/speed", speed + "\n");
    write("sys/class/net/" + name + "/type", name == "lo" ? "772\n" : "1\n");
  }
  fs::path root() const { return folder_.path(); }

  ClusterFacts found(std::optional<Allocation> allocation = {}, std::map<std::string, std::string> variables = {},
                     std::vector<std::string> named_hosts = {}) {
    variables["PATH"] = "/nowhere:" + (root() / "bin").string();
    return find_cluster(std::move(allocation), std::move(named_hosts), root(), [&](const char* name) {
      const auto at = variables.find(name);
      return at == variables.end() ? std::nullopt : std::optional(at->second);
    });
  }
  /// Throws if `run` would not take it.
  static Sweep read(const ClusterFacts& cluster) { return check_sweep(new_sweep(cluster), "new.yaml").sweep; }
  static std::vector<std::string> transports(const Sweep& sweep) {
    std::vector<std::string> values;
    for (const auto& variable : sweep.variables) {
      for (const auto& value : variable.values)
        if (variable.name == "transport") values.push_back(to_text(value));
    }
    return values;
  }

  testing_support::ResultFolder folder_;
};

TEST_F(NewSweep, on_a_machine_with_nothing_has_ranks_of_this_machine) {
  add_interface("lo", "unknown", "");
  const auto cluster = found();
  EXPECT_TRUE(cluster.interfaces.empty());
  const auto sweep = read(cluster);
  EXPECT_EQ(sweep.launcher.kind, LauncherKind::local);
  EXPECT_EQ(sweep.ranks, 2);
  EXPECT_EQ(transports(sweep), std::vector<std::string>{"tcp"});
}

TEST_F(NewSweep, in_an_allocation_has_its_ranks_and_leaves_the_hosts_to_it) {
  add_program("srun");
  add_program("mpirun.mpich");
  const auto sweep = read(found(Allocation{AllocationSource::slurm, "SLURM_JOB_NODELIST", {{"a", 4}, {"b", 4}}}));
  EXPECT_EQ(sweep.launcher.kind, LauncherKind::slurm);
  EXPECT_EQ(sweep.ranks, 8);
  EXPECT_EQ(sweep.ranks_per_node, 4);
  EXPECT_TRUE(sweep.hosts.empty());
  EXPECT_EQ(transports(sweep), (std::vector<std::string>{"tcp", "mpi"}));
}

TEST_F(NewSweep, shows_the_devices_and_uses_them) {
  add_program("mpirun.openmpi");
  add_interface("eth0", "up", "1000");
  add_interface("eth1", "up", "100000");
  add_interface("down0", "down", "-1");
  write("sys/class/infiniband/mlx5_0/node_guid");
  write("sys/class/infiniband/mlx5_1/node_guid");
  for (const auto* name : {"dev/nvidia0", "dev/nvidia1", "dev/nvidiactl", "dev/nvidia-uvm", "usr/lib64/libnccl.so.2"})
    write(name);
  const auto cluster = found({}, {}, {"n1", "n2", "n3"});
  EXPECT_EQ(cluster.interfaces,
            (std::vector<Interface>{{"eth1", true, 100'000}, {"eth0", true, 1000}, {"down0", false, 0}}));
  EXPECT_EQ(cluster.gpus, 2);
  const auto text = new_sweep(cluster);
  const auto sweep = check_sweep(text, "new.yaml").sweep;
  EXPECT_EQ(sweep.launcher.kind, LauncherKind::open_mpi);
  EXPECT_EQ(sweep.hosts, cluster.named_hosts);
  EXPECT_EQ(sweep.ranks, 6);
  EXPECT_EQ(transports(sweep), (std::vector<std::string>{"tcp", "mpi", "verbs", "nccl"}));
  // A choice in a comment may replace the key above it.
  for (const std::string transport : {"tcp", "verbs"}) {
    std::istringstream lines(text);
    std::string changed;
    bool is_choice = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("arguments:") || line.starts_with("variables:") || line.starts_with("  transport:"))
        continue;
      if (line.starts_with("# To vary options of")) {
        is_choice = line.find(" " + transport + " ") != std::string::npos;
      } else if (is_choice && line.starts_with("# ")) {
        line.erase(0, 2);
      }
      changed += line + "\n";
    }
    const auto choice = check_sweep(changed, "new.yaml").sweep;
    EXPECT_EQ(choice.variables.back().name, transport == "tcp" ? "tcp.interface" : "verbs.device") << changed;
  }
}

TEST_F(NewSweep, whose_nodes_another_system_starts_says_so) {
  add_program("mpirun.mpich");
  EXPECT_EQ(read(found({}, {{"RANK", "0"}, {"WORLD_SIZE", "4"}})).launcher.kind, LauncherKind::none);
}

}  // namespace
}  // namespace ringmark::sweep

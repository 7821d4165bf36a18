// The doctor on recorded nodes (trees/).
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/system/files.hpp"
#include "doctor/checks.hpp"
#include "doctor/doctor_main.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::doctor {
namespace {

namespace fs = std::filesystem;

/// A recorded node, laid out in a folder for as long as it lives.
class Recorded {
 public:
  explicit Recorded(const std::string& name)
      : folder_(fs::temp_directory_path() / ("ringmark-doctor-" + std::to_string(::getpid()) + "-" + name)) {
    std::ifstream lines(fs::path(RINGMARK_TREES) / (name + ".tree"));
    EXPECT_TRUE(lines) << name;
    for (std::string line; std::getline(lines, line);) lay_out(line);
  }
  ~Recorded() { fs::remove_all(folder_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  fs::path folder() const { return folder_; }
  Findings findings(const std::map<std::string, int>& port_mtus = {}) const {
    return examine(Node(folder_, "root", port_mtus));
  }

 private:
  void lay_out(const std::string& line) const {
    const auto space = line.find(' ');
    const auto path = folder_ / line.substr(0, space);
    const auto rest = line.substr(line.find(' ', space + 1) + 1);
    fs::create_directories(path.parent_path());
    switch (line[space + 1]) {
      case '-':
        fs::create_symlink(rest, path);
        break;
      case '@':
        std::ofstream(path, std::ios::binary) << binary(rest);
        break;
      default:
        std::ofstream(path) << text(rest) << "\n";
    }
  }
  static std::string text(std::string escaped) {
    for (auto at = escaped.find("\\n"); at != std::string::npos; at = escaped.find("\\n", at))
      escaped.replace(at, 2, "\n");
    return escaped;
  }
  static std::string binary(const std::string& description) {
    std::istringstream words(description);
    std::size_t size = 0;
    words >> size;
    std::string content(size, '\0');
    for (std::string part; words >> part;) {
      const auto colon = part.find(':');
      auto at = std::stoul(part.substr(0, colon), nullptr, 16);
      for (auto i = colon + 1; i < part.size(); i += 2) {
        content.at(at++) = static_cast<char>(std::stoi(part.substr(i, 2), nullptr, 16));
      }
    }
    return content;
  }

  fs::path folder_;
};

/// The findings worse than a note, as "check subject".
std::set<std::string> complaints(const Findings& findings) {
  std::set<std::string> result;
  for (const auto& finding : findings) {
    if (finding.severity >= Severity::warning) result.insert(finding.check + " " + finding.subject);
  }
  return result;
}

std::map<std::string, Severity> severities(const Findings& findings) {
  std::map<std::string, Severity> result;
  for (const auto& finding : findings) result[finding.check + " " + finding.subject] = finding.severity;
  return result;
}

using Complaints = std::set<std::string>;

TEST(Doctor, finds_nothing_wrong_with_a_good_infiniband_node) {
  const auto findings = Recorded("dgx_a100_ib").findings();
  EXPECT_EQ(complaints(findings), Complaints{});
  const auto all = severities(findings);
  for (const std::string looked_at :
       {"rdma_port mlx5_0:1", "rdma_port mlx5_1:1", "pcie_acs 0000:00:01.1", "pcie_acs 0000:40:01.1",
        "pcie_link 0000:0c:00.0", "pcie_relaxed_ordering 0000:0c:00.0", "numa_distance 0000:07:00.0",
        "numa_distance 0000:47:00.0", "gpu_direct GPUDirect RDMA", "locked_memory this user", "iommu kernel",
        "clock_source kernel", "cpu_governor processors", "shared_memory /dev/shm"}) {
    ASSERT_TRUE(all.contains(looked_at)) << looked_at;
    EXPECT_EQ(all.at(looked_at), Severity::fine) << looked_at;
  }
}

TEST(Doctor, finds_what_hides_in_a_roce_node_that_works) {
  const auto findings = Recorded("h100_roce").findings();
  EXPECT_EQ(complaints(findings), (Complaints{"pcie_acs 0000:15:01.0", "nccl_files /etc/nccl.conf"}));
  const auto all = severities(findings);
  EXPECT_EQ(all.at("roce_gid mlx5_0:1"), Severity::fine);
  EXPECT_EQ(all.at("roce_mtu mlx5_0:1"), Severity::fine);
  EXPECT_EQ(all.at("roce_congestion mlx5_0:1"), Severity::fine);
  EXPECT_EQ(all.at("locked_memory this user"), Severity::fine) << "CAP_IPC_LOCK lifts a low limit";
  EXPECT_EQ(all.at("pcie_link 0000:18:00.0"), Severity::note) << "an idle GPU";
  EXPECT_EQ(all.at("gpu_direct GPUDirect RDMA"), Severity::fine) << "dma-buf";
  for (const auto& finding : findings) {
    if (finding.check == "nccl_files") {
      EXPECT_EQ(finding.evidence, "NCCL_IB_HCA=mlx5_0, NCCL_ALGO=Ring");
    }
  }
}

TEST(Doctor, compares_what_a_port_uses_with_what_its_interface_allows) {
  const auto severity = [](const char* node, const std::string& check, int port_mtu) {
    return severities(Recorded(node).findings({{"mlx5_0:1", port_mtu}})).at(check + " mlx5_0:1");
  };
  EXPECT_EQ(severity("h100_roce", "roce_mtu", 4096), Severity::fine);
  EXPECT_EQ(severity("h100_roce", "roce_mtu", 1024), Severity::warning) << "not taken over";
  EXPECT_EQ(severity("dgx_a100_ib", "ib_mtu", 4096), Severity::fine);
  EXPECT_EQ(severity("dgx_a100_ib", "ib_mtu", 2048), Severity::warning);
  const auto broken = severities(Recorded("broken").findings({{"mlx5_1:1", 4096}}));
  EXPECT_EQ(broken.at("roce_mtu mlx5_1:1"), Severity::problem) << "dropped without a word";
}

TEST(Doctor, finds_shared_memory_that_is_too_small_or_too_full_for_nccl) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  const auto of = [](const Space& space) {
    Findings findings;
    check_shared_memory(Node("/no/such/folder", "root", {}, space), findings);
    return findings;
  };
  EXPECT_EQ(of({64 * mebibyte, 64 * mebibyte}).at(0).severity, Severity::warning);
  EXPECT_EQ(of({1024 * mebibyte, 1000 * mebibyte}).at(0).severity, Severity::fine);
  const auto full = of({1024 * mebibyte, 8 * mebibyte}).at(0);
  EXPECT_EQ(full.severity, Severity::warning);
  EXPECT_NE(full.remedy, of({64 * mebibyte, 64 * mebibyte}).at(0).remedy) << "more space would fill up as well";
  EXPECT_FALSE(severities(Recorded("tcp_vm").findings()).contains("shared_memory /dev/shm")) << "not recorded";
}

TEST(Doctor, has_notes_alone_for_a_virtual_machine_with_tcp) {
  const auto findings = Recorded("tcp_vm").findings();
  EXPECT_EQ(complaints(findings), Complaints{});
  EXPECT_EQ(severities(findings).at("locked_memory this user"), Severity::note) << "no RDMA that it would hurt";
  EXPECT_EQ(severities(findings).at("tcp_congestion kernel"), Severity::note) << "it is bbr";
  EXPECT_EQ(severities(Recorded("dgx_a100_ib").findings()).at("tcp_congestion kernel"), Severity::fine);
}

TEST(Doctor, finds_everything_that_is_broken_and_tells_the_remedy) {
  const auto findings = Recorded("broken").findings();
  EXPECT_EQ(complaints(findings),
            (Complaints{"rdma_port mlx5_0:1", "rdma_width mlx5_0:1", "rdma_port mlx5_1:1", "roce_mtu mlx5_1:1",
                        "roce_gid mlx5_1:1", "roce_congestion mlx5_1:1", "pcie_acs 0000:80:02.0",
                        "pcie_link 0000:03:00.0", "pcie_relaxed_ordering 0000:03:00.0", "numa_distance 0000:83:00.0",
                        "gpu_direct GPUDirect RDMA", "cpu_governor processors", "clock_source kernel", "iommu kernel",
                        "locked_memory this user", "tcp_buffers tcp_rmem", "tcp_buffers tcp_wmem",
                        "shared_memory /dev/shm", "nccl_files /root/.nccl.conf"}));
  for (const auto& finding : findings) {
    if (finding.severity < Severity::warning) continue;
    EXPECT_FALSE(finding.evidence.empty()) << finding.check;
    EXPECT_FALSE(finding.meaning.empty()) << finding.check;
    EXPECT_FALSE(finding.remedy.empty()) << finding.check;
  }
  EXPECT_EQ(severities(findings).at("pcie_acs PCI bridges"), Severity::note) << "one bridge shows 64 bytes only";
}

TEST(Doctor, speaks_to_people_and_to_machines) {
  const auto findings = Recorded("broken").findings();
  const auto text = as_text(findings, {"/sys/x"}, false);
  EXPECT_LT(text.find("problem  "), text.find("warning  "));
  EXPECT_NE(text.find("$ modprobe nvidia_peermem"), std::string::npos);
  EXPECT_NE(text.find("not readable by this user:\n    /sys/x"), std::string::npos);
  const auto report = nlohmann::json::parse(as_json(findings, {"/sys/x"}, "n1"));
  EXPECT_EQ(report["schema"], "doctor/1");
  EXPECT_EQ(report["host"], "n1");
  EXPECT_EQ(report["findings"].size(), findings.size());
  EXPECT_EQ(report["unreadable"][0], "/sys/x");
}

TEST(Doctor, has_a_status_for_scripts) {
  const auto status = [](std::vector<const char*> words) {
    words.insert(words.begin(), "ringmark-doctor");
    return doctor_main(static_cast<int>(words.size()), words.data());
  };
  const Recorded good("dgx_a100_ib"), broken("broken");
  EXPECT_EQ(status({"--root", good.folder().c_str()}), 0);
  EXPECT_EQ(status({"--json", "-", "--root", broken.folder().c_str()}), 1);
  const testing_support::ResultFolder folder;
  const auto file = folder.file("node.json");
  EXPECT_EQ(status({"--json", file.c_str(), "--root", broken.folder().c_str()}), 1);
  EXPECT_EQ(nlohmann::json::parse(read_file(file))["findings"].size(), broken.findings().size());
  EXPECT_EQ(status({"--root", "/no/such/folder"}), 2);
  EXPECT_EQ(status({"--bogus"}), 2);
}

}  // namespace
}  // namespace ringmark::doctor

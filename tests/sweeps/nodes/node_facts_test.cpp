#include "sweeps/nodes/node_facts.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {
namespace {

TEST(RdmaFacts, have_every_port_of_a_device) {
  const testing_support::ResultFolder folder;
  const auto write = [&](const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder.file("infiniband/mlx5_0/" + file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  };
  write("fw_ver", "28.39");
  write("ports/1/rate", "400 Gb/sec (4X NDR)");
  write("ports/1/counters/link_downed", "1");
  write("ports/2/rate", "200 Gb/sec (4X HDR)");
  write("ports/2/counters/link_downed", "7");
  const auto facts = rdma_facts(folder.file("infiniband"));
  EXPECT_EQ(facts,
            (nlohmann::json{{"mlx5_0", {{"fw_ver", "28.39"}, {"rate", "400 Gb/sec (4X NDR)"}, {"link_downed", "1"}}},
                            {"mlx5_0:2", {{"rate", "200 Gb/sec (4X HDR)"}, {"link_downed", "7"}}}}));
  EXPECT_TRUE(rdma_facts(folder.file("none")).empty());
}

}  // namespace
}  // namespace ringmark::sweep

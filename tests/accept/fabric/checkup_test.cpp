#include "accept/fabric/checkup.hpp"

#include <gtest/gtest.h>

namespace ringmark::accept {
namespace {

TEST(Checkup, takes_warnings_and_problems_of_a_report) {
  const nlohmann::json report{
      {"schema", "doctor/1"},
      {"findings",
       {{{"severity", "fine"}, {"check", "iommu"}, {"subject", "kernel"}, {"evidence", "off"}},
        {{"severity", "problem"}, {"check", "rdma_port"}, {"subject", "mlx5_0:1"}, {"evidence", "down"}},
        {{"severity", "warning"}, {"check", "cpu_governor"}, {"subject", "processors"}, {"remedy", "cpupower"}}}}};
  const auto found = complaints_in(report);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_problem);
  EXPECT_EQ(found[0].evidence, "down");
  EXPECT_FALSE(found[1].is_problem);
  EXPECT_EQ(found[1].remedy, "cpupower");
  EXPECT_TRUE(complaints_in({{"schema", "else"}}).empty());
  EXPECT_TRUE(complaints_in("text").empty());
}

TEST(Checkup, tells_complaints_of_a_few_hosts_from_common_ones) {
  const Complaint governor{false, "cpu_governor", "processors", "powersave", "", ""};
  const Complaint port{true, "rdma_port", "mlx5_0:1", "down", "", ""};
  const auto found = shared_complaints({{0, {governor}}, {1, {governor, port}}, {2, {governor}}, {3, {}}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].complaint.check, "rdma_port");
  EXPECT_EQ(found[0].hosts, (std::vector<std::size_t>{1}));
  EXPECT_FALSE(found[0].is_common);
  EXPECT_EQ(found[1].hosts, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(found[1].is_common);
}

}  // namespace
}  // namespace ringmark::accept

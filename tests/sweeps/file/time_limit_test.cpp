#include "sweeps/file/time_limit.hpp"

#include <map>

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

TEST(TimeLimit, is_read_as_sbatch_reads_it) {
  using namespace std::chrono_literals;
  const std::map<std::string, std::chrono::seconds> limits{
      {"30", 30min}, {"90:30", 90min + 30s},   {"02:00:00", 2h},
      {"1-12", 36h}, {"1-00:30", 24h + 30min}, {"2-01:02:03", 49h + 2min + 3s}};
  for (const auto& [limit, seconds] : limits) EXPECT_EQ(parse_time_limit(limit), seconds) << limit;
  for (const auto* wrong : {"", "0", "1:2:3:4", "-1", "1-", "1:", ":1", "x", "1-2-3", "5\n"})
    EXPECT_THROW(parse_time_limit(wrong), BadUsage) << wrong;
}

}  // namespace
}  // namespace ringmark::sweep

#include "bench/link/link_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Record link(int source, int destination, double GBps, int nodes = 2) {
  Record record;
  record.collective = LinkTest::bandwidth;
  record.size_bytes = 1 << 20;
  record.nodes = nodes;
  record.algbw_GBps = GBps;
  record.link = {source, destination};
  return record;
}

TEST(LinkMatrices, mark_what_is_much_worse_than_the_better_quartile) {
  const auto text =
      link_matrices({link(0, 1, 1), link(1, 0, 1), link(0, 2, 0.5), link(2, 0, 0.5), link(1, 2, 1), link(2, 1, 0.4)},
                    {"a", "b", "c"});
  EXPECT_THAT(text, HasSubstr("typical: 1 GB/s"));
  EXPECT_THAT(text, HasSubstr("* rank 2 on c to rank 1 on b: 0.4 GB/s, 2.5 times"));
  EXPECT_THAT(text, HasSubstr("every slow link has rank 2 on c "));
  EXPECT_THAT(text, Not(HasSubstr("* rank 0 on a to rank 1")));
}

TEST(LinkMatrices, hold_links_between_hosts_against_one_another) {
  std::vector<Record> records;
  for (int source = 0; source < 4; ++source) {
    for (int destination = 0; destination < 4; ++destination) {
      const bool is_within = source % 2 == destination % 2;
      if (source != destination) records.push_back(link(source, destination, is_within ? 5 : 0.1, is_within ? 1 : 2));
    }
  }
  const auto text = link_matrices(records, {"a", "b", "a", "b"});
  EXPECT_THAT(text, HasSubstr("typical between hosts: 0.1 GB/s"));
  EXPECT_THAT(text, Not(HasSubstr("times worse")));
}

TEST(LinkMatrices, need_more_than_one_pair) { EXPECT_THAT(link_matrices({link(0, 1, 1)}, {"a", "b"}), IsEmpty()); }

TEST(LinkLines, show_what_there_is_not_as_a_dash) {
  auto record = link(0, 1, 0.25);
  EXPECT_THAT(link_line(record), HasSubstr("0.2500"));
  record.algbw_GBps.reset();
  EXPECT_THAT(link_line(record), HasSubstr(" - "));
}

}  // namespace
}  // namespace ringmark

#include "bench/link/link_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringmark {
namespace {

using testing::HasSubstr;
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

TEST(LinkMatrices, mark_what_is_slow) {
  const std::vector<Record> records{link(0, 1, 1),   link(1, 0, 1), link(0, 2, 0.5),
                                    link(2, 0, 0.5), link(1, 2, 1), link(2, 1, 0.4)};
  const auto findings = judge_links(records, 3, false);
  const auto text = link_matrices(findings, records, 3);
  EXPECT_THAT(text, HasSubstr("0.4*"));
  EXPECT_THAT(text, Not(HasSubstr(" 1*")));
  const auto words = in_words(findings, {"a", "b", "c"});
  EXPECT_THAT(words, HasSubstr("every slow link has rank 2 on c "));
  EXPECT_THAT(words, HasSubstr("rank 2 on c to rank 1 on b takes 2621 us, 2.5 times"));
}

TEST(LinkMatrices, keep_long_figures_apart) {
  std::vector<Record> records{link(0, 1, 0.0001234), link(1, 0, 0.0001234)};
  records.push_back(link(1, 2, 0.0005678));
  const auto text = link_matrices(judge_links(records, 3, false), records, 3);
  EXPECT_THAT(text, HasSubstr(" 1 0.0001234"));
  EXPECT_THAT(text, HasSubstr(" 0.0005678"));
}

TEST(LinkLines, show_what_there_is_not_as_a_dash) {
  auto record = link(0, 1, 0.25);
  EXPECT_THAT(link_line(record), HasSubstr("0.2500"));
  record.algbw_GBps.reset();
  EXPECT_THAT(link_line(record), HasSubstr(" - "));
}

}  // namespace
}  // namespace ringmark

#include "bench/harness/row.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

Record verdict(const PathFinding& path, const std::string& ignored, std::uint64_t wrong) {
  Record record;
  judge(path, WayOut{}, {.count = wrong}, record);
  if (!ignored.empty()) mark_ignored(record, ignored);
  return record;
}

TEST(Verdict, is_the_worst_of_what_is_known) {
  const PathFinding right{.wire_bytes = 5, .retransmits = 2, .events = "nothing of note"};
  const PathFinding bypassed{.bypassed = true, .detail = "went another way"};
  const auto ok = verdict(right, "", 0);
  EXPECT_EQ(ok.status, Status::ok);
  EXPECT_EQ(ok.detail, "nothing of note");
  EXPECT_EQ(ok.wire_bytes, 5U);
  EXPECT_EQ(ok.retransmits, 2U);
  EXPECT_EQ(verdict(right, "no effect", 0).status, Status::ignored);
  EXPECT_EQ(verdict(right, "no effect", 0).detail, "no effect");
  EXPECT_EQ(verdict(bypassed, "no effect", 0).status, Status::bypassed);
  EXPECT_EQ(verdict(bypassed, "no effect", 0).detail, "went another way");
  EXPECT_EQ(verdict(bypassed, "no effect", 1).status, Status::wrong);
  EXPECT_EQ(verdict(bypassed, "no effect", 1).detail, "results are wrong");
}

class Rows final : public Sink {
 public:
  void begin(const RunContext& /*context*/) override {}
  void add(const Record& record, const Samples& /*samples*/) override { records.push_back(record); }
  void finish() override {}
  std::vector<Record> records;
};

TEST(Failures, of_several_rows_become_all_of_them) {
  Rows rows;
  std::vector<Record> records(3);
  EXPECT_THROW(record_failure(&rows, records, [] { throw TimedOut("too late"); }), TimedOut);
  ASSERT_EQ(rows.records.size(), 3U);
  for (const auto& record : rows.records) EXPECT_EQ(record.status, Status::timeout);
}

TEST(Failures, become_rows_before_they_are_passed_on) {
  Rows rows;
  Record record;
  EXPECT_THROW(record_failure(&rows, record, [] { throw TimedOut("too late"); }), TimedOut);
  EXPECT_THROW(record_failure(&rows, record, [] { throw std::runtime_error("broken"); }), std::runtime_error);
  record_failure(&rows, record, [&] { record.status = Status::ok; });
  EXPECT_THROW(record_failure(nullptr, record, [] { throw TimedOut("of another rank"); }), TimedOut);
  ASSERT_EQ(rows.records.size(), 2U);
  EXPECT_EQ(rows.records[0].status, Status::timeout);
  EXPECT_EQ(rows.records[0].detail, "too late");
  EXPECT_EQ(rows.records[1].status, Status::failed);
  EXPECT_EQ(rows.records[1].detail, "broken");
}

}  // namespace
}  // namespace ringmark

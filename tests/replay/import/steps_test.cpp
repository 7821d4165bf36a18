// Which of a recording's calls are one step.

#include "replay/import/steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Call> calls_of(const std::string& letters, std::size_t pause_before = 0) {
  std::vector<Call> calls;
  for (const char letter : letters) {
    Call call;
    call.elements = static_cast<unsigned char>(letter);
    if (pause_before > 0 && letter == 'b') call.computed_us = 100;
    calls.push_back(call);
  }
  return calls;
}

TEST(Rounds, are_the_longest_that_come_at_least_three_times) {
  EXPECT_FALSE(last_round(calls_of("abcdefg")));
  EXPECT_FALSE(last_round(calls_of("abab")));
  const auto round = last_round(calls_of("xyzabcabcabcabc"));
  ASSERT_TRUE(round);
  EXPECT_EQ(round->end - round->begin, 3U);
  EXPECT_EQ(round->rounds, 4U);
  EXPECT_EQ(last_round(calls_of("abbbabbbabbb"))->end - last_round(calls_of("abbbabbbabbb"))->begin, 4U)
      << "not the letter that is repeated within";
  const auto cut = last_round(calls_of("abcabcabcabc", 1));
  EXPECT_EQ(cut->begin, 7U) << "begins behind the longest pause, before a b";
  EXPECT_EQ(cut->end, 10U);
}

TEST(Rounds, begin_alike_though_a_first_step_waited_elsewhere) {
  auto calls = calls_of("abcabcabcabc", 1);
  calls[2].computed_us = 1e6;  // something was compiled
  const auto round = last_round(calls);
  ASSERT_TRUE(round);
  EXPECT_EQ(round->begin, 7U);
}

TEST(Rounds, of_a_told_number_are_the_longest_that_the_recording_ends_with) {
  const auto last = [](const std::string& letters, std::size_t rounds) {
    const auto round = last_of_rounds(calls_of(letters), rounds);
    return round ? letters.substr(round->begin, round->end - round->begin) : "";
  };
  EXPECT_EQ(last("abcabc", 2), "abc");
  EXPECT_EQ(last("xyabcabc", 2), "abc");
  EXPECT_EQ(last("aaaaaa", 3), "aa");
  EXPECT_EQ(last("xyz", 1), "xyz");
  EXPECT_EQ(last("abcabd", 2), "");
  EXPECT_EQ(last("abab", 3), "");
}

Imported recording(const std::string& letters) {
  Imported imported;
  imported.calls = calls_of(letters, 1);
  return imported;
}

std::size_t calls_kept(Imported imported, std::optional<int> given, const std::string& remark) {
  keep_one_step("x.json", imported, given);
  if (remark.empty()) {
    EXPECT_THAT(imported.remarks, IsEmpty());
  } else {
    EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr(remark)));
  }
  return imported.calls.size();
}

TEST(OneStep, of_a_run_is_its_last_round_unless_a_person_says_otherwise) {
  auto run = recording("abababab");
  run.is_of_a_run = true;
  EXPECT_EQ(calls_kept(run, {}, "has 4 rounds of the same 2 calls"), 2U);
  EXPECT_EQ(calls_kept(run, 1, ""), 8U);
  EXPECT_EQ(calls_kept(run, 2, "2 steps of the same 4 calls"), 4U);
}

TEST(OneStep, of_a_recording_that_may_be_one_is_all_of_it_unless_a_person_says_otherwise) {
  EXPECT_EQ(calls_kept(recording("ababab"), {}, "if these are steps, give --steps 3"), 6U);
  EXPECT_EQ(calls_kept(recording("aaaa"), {}, ""), 4U) << "buckets of a size are no steps";
  EXPECT_EQ(calls_kept(recording("ababab"), 3, "3 steps of the same 2 calls"), 2U);
}

TEST(OneStep, of_as_many_as_were_told_or_none) {
  auto imported = recording("abcabd");
  try {
    keep_one_step("x.json", imported, 2);
    FAIL() << "took it";
  } catch (const BadUsage& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("--steps 2: the 6 calls of x.json"));
  }
}

TEST(OneStep, begins_as_the_first_did) {
  auto imported = recording("bcbc");
  imported.calls[0].computed_us = 7;
  keep_one_step("x.json", imported, 2);
  EXPECT_EQ(imported.calls.front().computed_us, 7) << "without what the step before did at its end";
}

}  // namespace
}  // namespace ringmark::replay

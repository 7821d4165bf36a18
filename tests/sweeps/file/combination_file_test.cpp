#include "sweeps/file/combination_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/problem_texts.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Read {
  Sweep sweep;
  std::vector<std::string> problems;
};

/// Reads zips and exclusions for the variables a (1, 2), b (3, 4) and c (5).
Read combined(const std::string& zip, const std::string& exclude) {
  Read result;
  result.sweep.variables = {{"a", Target::flag, {"1", "2"}, false, 1, {}},
                            {"b", Target::flag, {"3", "4"}, false, 1, {}},
                            {"c", Target::flag, {"5"}, false, 1, {}}};
  YamlReader read("s.yaml");
  CombinationReader combinations(read, result.sweep);
  combinations.read_zips(YAML::Load(zip));
  combinations.read_exclusions(YAML::Load(exclude));
  combinations.check();
  result.problems = testing_support::texts(read.problems());
  return result;
}

TEST(Combinations, are_zips_and_exclusions) {
  const auto read = combined("[[a, b]]", "[{a: 1, b: [3, 4]}, {c: 5}]");
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(read.sweep.zips, ElementsAre(ElementsAre("a", "b")));
  ASSERT_EQ(read.sweep.exclusions.size(), 2U);
  EXPECT_THAT(read.sweep.exclusions[0].at("b"), ElementsAre("3", "4"));
  EXPECT_THAT(read.sweep.exclusions[1].at("c"), ElementsAre("5"));
}

TEST(Combinations, are_of_variables_that_there_are_and_of_their_values) {
  const auto problems_of = [](const std::string& zip, const std::string& exclude) {
    return combined(zip, exclude).problems;
  };
  EXPECT_THAT(problems_of("[[a, d]]", "[]"), ElementsAre(HasSubstr("no variable 'd'")));
  EXPECT_THAT(problems_of("[[a, b], [b]]", "[]"), ElementsAre(HasSubstr("'b' is zipped twice")));
  EXPECT_THAT(problems_of("[[a, c]]", "[]"), ElementsAre(HasSubstr("'c' has 1 values")));
  EXPECT_THAT(problems_of("a", "[]"), ElementsAre(HasSubstr("give a list of lists")));
  EXPECT_THAT(problems_of("[]", "[{d: 1}]"), ElementsAre(HasSubstr("no variable 'd'")));
  EXPECT_THAT(problems_of("[]", "[{a: 1, c: 6}]"), ElementsAre(HasSubstr("c has no value 6")));
  EXPECT_THAT(problems_of("[]", "[{}]"), ElementsAre(HasSubstr("excludes everything")));
  EXPECT_THAT(problems_of("[]", "a"), ElementsAre(HasSubstr("give a list of maps")));
}

}  // namespace
}  // namespace ringmark::sweep

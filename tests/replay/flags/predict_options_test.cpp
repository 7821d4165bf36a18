#include "replay/flags/predict_options.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/flags/command_line.hpp"
#include "tests/base/problem_texts.hpp"

namespace ringmark::replay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Predicted {
  PredictOptions options;
  std::vector<std::string> problems;
};

Predicted predicted(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words{"ringmark-replay", "predict"};
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  const auto parsed = parse_command_line(static_cast<int>(argv.size()), argv.data(), std::nullopt);
  return {std::get<PredictOptions>(parsed.options), testing_support::texts(parsed.problems)};
}

const std::string step = "--model opt-125m --device h100 --ranks 16 --alpha-us 5 ";

TEST(PredictFlags, questions_backwards_are_read) {
  const auto measured = predicted(step + "--bandwidth-GBps 20 --measured-s 0.5");
  EXPECT_THAT(measured.problems, IsEmpty());
  EXPECT_EQ(measured.options.measured_s, 0.5);
  const auto compared = predicted(step + "--bandwidth-GBps 20 --solve bandwidth --of-ideal 90%");
  EXPECT_THAT(compared.problems, IsEmpty());
  EXPECT_EQ(compared.options.solve, Solve::bandwidth);
  EXPECT_EQ(compared.options.of_ideal_percent, 90);
  EXPECT_TRUE(compared.options.has_bandwidth);
  const auto free = predicted(step + "--solve bandwidth --of-ideal 90");
  EXPECT_THAT(free.problems, IsEmpty()) << "the bandwidth is what is asked for";
  EXPECT_FALSE(free.options.has_bandwidth);
}

TEST(PredictFlags, solving_for_ranks_begins_with_two_nodes_where_no_ranks_are_given) {
  const auto asked = predicted(
      "--model opt-125m --device h100 --ranks-per-node 4 --alpha-us 5 --bandwidth-GBps 20 --solve ranks --of-ideal 50");
  EXPECT_THAT(asked.problems, IsEmpty());
  EXPECT_EQ(asked.options.step->settings.ranks, 8);
}

TEST(PredictFlags, questions_that_cannot_be_answered_are_refused_with_a_remedy) {
  const std::string link = "--bandwidth-GBps 20 ";
  EXPECT_THAT(predicted(step + link + "--solve bandwidth").problems,
              ElementsAre(AllOf(HasSubstr("--solve"), HasSubstr("--of-ideal"))));
  EXPECT_THAT(predicted(step + link + "--of-ideal 90").problems,
              ElementsAre(AllOf(HasSubstr("--of-ideal"), HasSubstr("--solve bandwidth"))));
  EXPECT_THAT(predicted(step + link + "--solve alpha --of-ideal 90").problems,
              testing::Contains(AllOf(HasSubstr("--solve"), HasSubstr("bandwidth, ranks"))));
  EXPECT_THAT(predicted(step + link + "--solve bandwidth --of-ideal 120").problems,
              testing::Contains(AllOf(HasSubstr("--of-ideal"), HasSubstr("100"))));
  EXPECT_THAT(predicted(step + link + "--measured-s 0").problems,
              testing::Contains(AllOf(HasSubstr("--measured-s"), HasSubstr("number"))));
  EXPECT_THAT(predicted(step + "--solve ranks --of-ideal 90").problems,
              ElementsAre(AllOf(HasSubstr("network is missing"), HasSubstr("--bandwidth-GBps"))));
  EXPECT_THAT(predicted(step + "--solve bandwidth --of-ideal 90 --measured-s 1").problems,
              ElementsAre(AllOf(HasSubstr("--measured-s"), HasSubstr("--bandwidth-GBps"))));
  EXPECT_THAT(
      predicted("step.jsonl --device h100 --alpha-us 5 --bandwidth-GBps 20 --solve ranks --of-ideal 90").problems,
      ElementsAre(AllOf(HasSubstr("--solve"), HasSubstr("--model"))));
  EXPECT_THAT(predicted("--model opt-125m --device h100 --ranks 16 --fit /no/such/fit.json --solve bandwidth "
                        "--of-ideal 90")
                  .problems,
              testing::Contains(AllOf(HasSubstr("--solve"), HasSubstr("--fit"), HasSubstr("--alpha-us"))));
  for (const auto* flag : {"--jitter 5", "--slow-down 1=2"})
    EXPECT_THAT(predicted(step + link + flag + " --solve ranks --of-ideal 90").problems,
                ElementsAre(HasSubstr("--solve ranks")));
  EXPECT_THAT(predicted("--model opt-125m --device h100 --solve bandwidth --of-ideal 90 --ranks 8").problems,
              ElementsAre(AllOf(HasSubstr("network is missing"), HasSubstr("--alpha-us"))));
}

}  // namespace
}  // namespace ringmark::replay

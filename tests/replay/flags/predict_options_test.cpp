#include "replay/flags/predict_options.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/flags/command_line.hpp"
#include "tests/base/problem_texts.hpp"
#include "tests/programs/result_folder.hpp"

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

class FitFlags : public testing::Test {
 protected:
  std::string fit_of(const std::optional<double>& alpha_us) {
    Fit fit;
    fit.links = {{.network = "ib",
                  .between = FitLink{alpha_us, 370},
                  .within = FitLink{alpha_us, 410},
                  .ranks_per_node = 8,
                  .nodes = {1, 4},
                  .launch_us = 9,
                  .from_bytes = 8}};
    std::ofstream(folder_.file("fit.json")) << to_json(fit);
    return "--model opt-125m --device h100 --ranks 16 --fit " + folder_.file("fit.json") + " ";
  }

  testing_support::ResultFolder folder_;
};

TEST_F(FitFlags, take_the_place_of_a_fits_values) {
  const auto within = predicted(fit_of(12) + "--within-alpha-us 3 --within-bandwidth-GBps 300");
  EXPECT_THAT(within.problems, IsEmpty());
  EXPECT_EQ(within.options.links.within->GBps, 300);
  EXPECT_EQ(within.options.links.between.alpha_us, 12);
  const auto alphas = predicted(fit_of({}) + "--alpha-us 14 --within-alpha-us 3");
  EXPECT_THAT(alphas.problems, IsEmpty());
  EXPECT_EQ(alphas.options.links.between.alpha_us, 14);
  EXPECT_EQ(alphas.options.links.between.GBps, 370);
  EXPECT_EQ(alphas.options.links.within->GBps, 410);
  // The alpha of links that are given as a whole need not be in the fit.
  const auto both = predicted(fit_of({}) + "--alpha-us 14 --within-alpha-us 3 --within-bandwidth-GBps 300");
  EXPECT_THAT(both.problems, IsEmpty());
  EXPECT_THAT(predicted(fit_of(12) + "--bandwidth-GBps 300").problems,
              testing::Contains(AllOf(HasSubstr("--fit"), HasSubstr("--bandwidth-GBps"))));
}

TEST(PredictFlags, ranks_of_a_node_count_beside_a_model_too) {
  EXPECT_EQ(predicted(step + "--bandwidth-GBps 20 --ranks-per-node 8").options.ranks_per_node, 8);
}

}  // namespace
}  // namespace ringmark::replay

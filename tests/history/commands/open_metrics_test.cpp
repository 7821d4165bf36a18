#include "history/commands/open_metrics.hpp"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringmark::history {
namespace {

std::set<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (auto each = std::sregex_iterator(text.begin(), text.end(), pattern); each != std::sregex_iterator(); ++each)
    found.insert((*each)[1]);
  return found;
}

TEST(OpenMetrics, dashboards_ask_for_metrics_that_are_written) {
  const auto written = all_matches(open_metrics({}, {}, {}, {}), std::regex("# TYPE (\\w+)"));
  std::ifstream file(RINGMARK_SOURCE_DIR "/history/grafana/ringmark.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto asked = all_matches(text, std::regex("(ringmark_\\w+)"));
  EXPECT_GE(asked.size(), 8U);
  for (const auto& name : asked) EXPECT_TRUE(written.contains(name)) << name;
  const auto dashboard = nlohmann::json::parse(text);
  for (const auto& panel : dashboard.at("panels")) EXPECT_FALSE(panel.at("targets").empty()) << panel.at("title");
}

TEST(OpenMetrics, names_of_labels_are_unique) {
  LatestLaunch launch;
  launch.cluster = "lab";
  launch.values = {{"label.x", "1"}, {"label_x", "2"}};
  const auto text = open_metrics({launch}, {}, {}, {});
  EXPECT_NE(text.find("label_x=\"1\",label_x_=\"2\""), std::string::npos) << text;
}

}  // namespace
}  // namespace ringmark::history

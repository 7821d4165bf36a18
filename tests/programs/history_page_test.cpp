// ringmark-analyze report --store: the page in a browser.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/history/stores.hpp"
#include "tests/programs/browser.hpp"

namespace ringmark::history {
namespace {

using namespace testing_support;

class HistoryPageProgram : public StoreTest {
 protected:
  ShellResult report(const std::string& words) {
    close();
    return run(fmt::format("{}/ringmark-analyze report --store {} -o {} {}", bin, path("history.db"),
                           folder_.file("h.html"), words));
  }
  std::string page() const {
    std::ostringstream text;
    text << std::ifstream(folder_.file("h.html")).rdbuf();
    return text.str();
  }

  ResultFolder folder_;
};

TEST_F(HistoryPageProgram, works_in_a_browser) {
  if (const auto reason = why_no_browser(); !reason.empty()) GTEST_SKIP() << reason;
  for (int number = 0; number < 60; ++number) {
    std::vector<StoredRow> rows;
    for (std::uint64_t size = 0; size < 12; ++size) {
      auto& row = rows.emplace_back(row_of(fmt::format("run-{}", number), 10 + 0.01 * (number % 3), 1024 << size));
      if (size == 7 && number >= 40) *row.record.time_us_p50 *= 1.2;
      row.record.settings.hosts = fmt::format("node[{}-{}]*2", number % 100, number % 100 + 1);
    }
    add(store(), contents_of(fmt::format("day-{}.csv", number), {launch_of(day(number), rows)}), "lab");
  }
  const auto made = report("");
  ASSERT_EQ(made.status, 0) << made.output;
  const auto outcome = tried_in_browser(page(), R"js(
    const charts = () => document.querySelectorAll(".multiples figure").length;
    check("six charts are drawn", charts() === 6);
    check("a change is marked", document.querySelectorAll("#series-0 path.change").length === 1);
    check("a point has its launch", document.querySelector("#series-0 .point").textContent.includes("run-59"));
    const key = (name) => document.querySelector("#series-0 svg").dispatchEvent(new KeyboardEvent("keydown", { key: name }));
    key("ArrowLeft");
    check("keys move", document.querySelector("#series-0 .point").textContent.includes("run-58"));
    document.querySelector("details").open = true;
    document.querySelector("details").dispatchEvent(new Event("toggle"));
    check("the rest unfolds", charts() === 12);
    check("forty hosts", document.querySelectorAll("#hosts figure:first-of-type text[text-anchor=end]").length === 40);
    for (const button of document.querySelectorAll("#hosts .tools button")) button.click();
    check("then all", document.querySelectorAll("#hosts .tools button").length === 0);
  )js",
                                        folder_);
  EXPECT_NE(outcome.find("no problem: yes"), std::string::npos) << outcome;
  EXPECT_EQ(outcome.find(": NO"), std::string::npos) << outcome;
}

TEST_F(HistoryPageProgram, selects_as_ringmark_history_does) {
  add_daily({10, 11, 12, 13});
  EXPECT_EQ(report("--where collective=all_reduce --since 2026-01-02 --cluster lab").status, 0);
  EXPECT_EQ(report("--where collective=broadcast").status, 2);
  EXPECT_EQ(report("--cluster none").status, 2);
  EXPECT_EQ(report(folder_.file("results.csv")).status, 2) << "either files or a store";
  EXPECT_EQ(run(bin + "/ringmark-analyze report").status, 2);
}

}  // namespace
}  // namespace ringmark::history

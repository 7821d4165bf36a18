// Results against a store, as ringmark-analyze compares them.
#include <nlohmann/json.hpp>

#include "tests/programs/history_program.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(HistoryProgram, is_a_baseline_to_compare_with) {
  for (int number = 0; number < 60; ++number)
    write(fmt::format("in/{}.csv", number), csv_of(number, number < 40 ? 1 : 1.2));
  ASSERT_EQ(run(history("add " + folder("in") + " --cluster lab")).status, 0);
  for (int number = 100; number < 106; ++number) {
    write(fmt::format("same/{}.csv", number), csv_of(number, 1.2));
    write(fmt::format("slower/{}.csv", number), csv_of(number, 1.32));
  }
  const auto compare = [&](const std::string& words) {
    return run(fmt::format("{}/ringmark-analyze compare {} --store {} --fail-if-slower 5% --json {}", bin, words,
                           folder("h.db"), folder("c.json")));
  };
  const auto same = compare(folder("same"));
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_TRUE(has(same.output, "20 to 20 launches each, 2026-02-10 to 2026-03-01, on 2 hosts")) << same.output;
  auto other = history::row_of("other", 10, 512).record;
  write("other.csv", write_csv(record_header()) + write_csv(to_csv(other)));
  ASSERT_EQ(run(history("add " + folder("other.csv") + " --cluster lab")).status, 0);
  const auto of_one_launch = compare(folder("same/100.csv")), of_one_slower = compare(folder("slower/100.csv"));
  EXPECT_EQ(of_one_launch.status, 0) << of_one_launch.output;
  EXPECT_EQ(of_one_slower.status, 1) << of_one_slower.output;
  const auto slower = compare(folder("slower"));
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_TRUE(has(slower.output, "lowest: 90.9 %")) << slower.output;
  const auto json = nlohmann::json::parse(std::ifstream(folder("c.json")));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["baseline"], "normal of lab");
  EXPECT_NEAR(json[0]["ratio"].get<double>(), 1.1, 0.02);
  const auto launch = compare(folder("slower") + " --baseline run-3");
  EXPECT_TRUE(has(launch.output, "launch run-3 of 2026-01-04")) << launch.output;
  EXPECT_TRUE(has(launch.output, "lowest: 75.")) << launch.output;
  EXPECT_EQ(compare(folder("same") + " --baseline none").status, 2);
  EXPECT_EQ(compare(folder("same") + " --by transport").status, 2);
}

TEST_F(HistoryProgram, a_slower_library_does_not_pass_for_another_setting) {
  const auto write_night = [&](const std::string& name, int number, double factor, Status status) {
    auto row = history::row_of(fmt::format("run-{}", number), factor * (10 + 0.01 * (number % 3))).record;
    row.time_utc = utc_text(history::day(number));
    row.settings.others["nccl_version"] = number < 40 ? "2.27.3" : "2.28.9";
    auto text = write_csv(record_header()) + write_csv(to_csv(row));
    row.size_bytes = 2 * row.size_bytes, row.count = 2 * row.count, row.status = status;
    write(name, text + (status == Status::ok ? "" : write_csv(to_csv(row))));
  };
  for (int number = 0; number < 40; ++number) write_night(fmt::format("in/{}.csv", number), number, 1, Status::ok);
  ASSERT_EQ(run(history("add " + folder("in") + " --cluster lab")).status, 0);
  const auto gate = [&](const std::string& file) {
    return run(fmt::format("{}/ringmark-analyze compare {} --store {} --fail-if-slower 3%", bin, folder(file),
                           folder("h.db")));
  };
  write_night("slower.csv", 41, 1.05, Status::ok);
  const auto slower = gate("slower.csv");
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_TRUE(has(slower.output, "2.28.9")) << slower.output;
  write_night("same.csv", 42, 1, Status::ok);
  EXPECT_EQ(gate("same.csv").status, 0);
  write_night("wrong.csv", 43, 1, Status::wrong);
  const auto wrong = gate("wrong.csv");
  EXPECT_EQ(wrong.status, 5) << wrong.output;
}

}  // namespace
}  // namespace ringmark

// ringmark-history as its users run it: files of all kinds, several processes at once, and kills at any moment.
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/files/csv.hpp"
#include "results/files/provenance.hpp"
#include "tests/programs/history_program.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(HistoryProgram, takes_files_of_many_kinds_and_names_those_it_cannot_read) {
  write("in/own.csv", csv_of(1));
  write("in/all_gather.txt",
        "# OSU MPI Allgather Latency Test v7.4\n# Size       Avg Latency(us)\n1024                    10.00\n2048     "
        "               12.00\n");
  write("in/damaged.csv", csv_of(2).substr(0, 300) + "\n1,2,3\n");
  write("in/notes.txt", "see the wiki");
  const auto added = run(history("add " + folder("in") + " --ranks 8 --nodes 2"));
  EXPECT_EQ(added.status, 3) << added.output;
  EXPECT_TRUE(has(added.output, "damaged.csv") && has(added.output, "notes.txt")) << added.output;
  EXPECT_EQ(count("launch"), "2");
  EXPECT_EQ(count("result"), "5");
  EXPECT_EQ(run(history("add " + folder("in/own.csv"))).status, 0);
  EXPECT_EQ(count("result"), "5");
  EXPECT_EQ(run(history("add " + folder("in/notes.txt"))).status, 2);
}

TEST_F(HistoryProgram, says_the_same_about_many_files_once) {
  for (const char* name : {"a", "b", "c"}) write(fmt::format("in/{}.txt", name), "see the wiki");
  const auto added = run(history("add " + folder("in")));
  EXPECT_EQ(added.status, 2) << added.output;
  EXPECT_TRUE(has(added.output, folder("in/b.txt, ") + folder("in/c.txt: "))) << added.output;
  EXPECT_EQ(count("result"), "0");
}

TEST_F(HistoryProgram, links_that_lead_nowhere_or_back_keep_no_file_from_being_added) {
  write("in/below/own.csv", csv_of(1));
  std::filesystem::create_symlink("gone.csv", folder("in/dangling"));
  std::filesystem::create_directory_symlink("..", folder("in/below/up"));
  std::filesystem::create_symlink("loop", folder("in/loop"));
  const auto added = run(history("add " + folder("in")));
  EXPECT_EQ(added.status, 3) << added.output;
  EXPECT_TRUE(has(added.output, "in/loop") && has(added.output, "in/dangling")) << added.output;
  EXPECT_TRUE(has(added.output, "from 1 file")) << "once, though a link leads back to its folder: " << added.output;
  EXPECT_EQ(count("result"), "3");
}

TEST_F(HistoryProgram, says_what_became_slower_since_when_and_what_changed_then) {
  for (int number = 0; number < 60; ++number)
    write(fmt::format("in/{}.csv", number), csv_of(number, number < 40 ? 1 : 1.2));
  ASSERT_EQ(run(history("add " + folder("in") + " --cluster lab")).status, 0);
  const auto changes = run(history("changes --json " + folder("c.json")));
  EXPECT_EQ(changes.status, 1) << changes.output;
  const auto json = nlohmann::json::parse(std::ifstream(folder("c.json")));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["first_after_utc"], utc_text(history::day(40)));
  EXPECT_NEAR(json[0]["ratio"].get<double>(), 1.2, 0.01);
  EXPECT_EQ(run(history("changes --until 2026-02-01")).status, 0);
  EXPECT_EQ(run(history("normal --json " + folder("n.json"))).status, 0);
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(folder("n.json")))[0]["launches"], 20);
  EXPECT_EQ(run(history("against 2026-02-10")).status, 1);
  EXPECT_EQ(run(history("odd")).status, 5) << "all launches were of the same hosts";
  EXPECT_TRUE(has(run(history("trend --where size_bytes=1K")).output, "2026-01-01"));
  write("other.csv", csv_of(100));
  ASSERT_EQ(run(history("add " + folder("other.csv") + " --cluster cloud")).status, 0);
  EXPECT_EQ(run(history("changes")).status, 2) << "two clusters are not one series";
  EXPECT_EQ(run(history("changes --cluster lab")).status, 1);
}

TEST_F(HistoryProgram, refuses_launches_of_the_future) {
  auto row = history::row_of("run-1", 10).record;
  row.time_utc = "2096-01-01T00:00:00Z";
  write("future.csv", write_csv(record_header()) + write_csv(to_csv(row)));
  const auto added = run(history("add " + folder("future.csv")));
  EXPECT_EQ(added.status, 2);
  EXPECT_TRUE(has(added.output, "2096-01-01")) << added.output;
}

TEST_F(HistoryProgram, tells_launches_apart_that_share_a_run_id) {
  for (int number = 0; number < 20; ++number) {
    auto row = history::row_of("nightly", 10 + 0.01 * (number % 3)).record;
    row.time_utc = utc_text(history::day(2 * number));
    write(fmt::format("in/{:02}.csv", number), write_csv(record_header()) + write_csv(to_csv(row)));
  }
  for (int again = 0; again < 2; ++again) ASSERT_EQ(run(history("add " + folder("in"))).status, 0);
  EXPECT_EQ(count("launch"), "20");
  EXPECT_EQ(count("result"), "20");
}

TEST_F(HistoryProgram, has_the_same_digits_of_other_tools_on_other_days) {
  write("osu.txt",
        "# OSU MPI Allgather Latency Test v7.4\n# Size       Avg Latency(us)\n1024                    10.00\n");
  const auto add = [&](const std::string& day) {
    return run(history(fmt::format("add {} --ranks 8 --nodes 2 --date {}", folder("osu.txt"), day))).status;
  };
  EXPECT_EQ(add("2026-01-01"), 0);
  EXPECT_EQ(add("2026-01-02"), 0);
  EXPECT_EQ(add("2026-01-02"), 0);
  EXPECT_EQ(count("launch"), "2");
}

TEST_F(HistoryProgram, has_a_run_once_that_was_written_as_csv_and_as_json) {
  ASSERT_EQ(run(fmt::format("{}/ringmark-all-reduce --ranks 2 --sizes 1K,2K -n 5 --warmup 1 --csv {} --format "
                            "nccl-tests-json > {}",
                            bin, folder("o.csv"), folder("o.json")))
                .status,
            0);
  ASSERT_EQ(run(history(fmt::format("add {} {}", folder("o.csv"), folder("o.json")))).status, 0);
  EXPECT_EQ(count("launch"), "1");
  EXPECT_EQ(count("series"), count("result"));
}

TEST_F(HistoryProgram, is_not_overwritten_by_an_answer) {
  write("in.csv", csv_of(1));
  ASSERT_EQ(run(history("add " + folder("in.csv"))).status, 0);
  for (const std::string words : {"export --csv ", "export --json ", "normal --json ", "metrics -o "})
    EXPECT_EQ(run(history(words + folder("h.db"))).status, 2) << words;
  EXPECT_EQ(run(history("check")).status, 0);
}

TEST_F(HistoryProgram, is_read_by_those_who_may_not_write_it) {
  write("in.csv", csv_of(1));
  ASSERT_EQ(run(history("add " + folder("in.csv"))).status, 0);
  const std::string nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  const auto may_run = run("chmod 755 " + folder(".") + "; " + nobody + bin + "/ringmark-history --version");
  if (may_run.status != 0) GTEST_SKIP() << "user 65534 may not run it: " << may_run.output;
  const auto read = run(nobody + history("check"));
  EXPECT_EQ(read.status, 0) << read.output;
  EXPECT_NE(run(nobody + history("forget --cluster default")).status, 0);
  EXPECT_EQ(count("launch"), "1");
}

TEST_F(HistoryProgram, logs_of_the_ranks_of_a_job_are_one_launch) {
  for (int rank = 0; rank < 4; ++rank) {
    write(fmt::format("job/rank-{}.log", rank),
          fmt::format(
              R"({{"header": {{"id": "0x1", "rank": {0}, "n_ranks": 4, "nnodes": 1}}, "metadata": {{
"inspector_output_format_version": "v4.0", "dump_timestamp_us": 1748030377748202, "hostname": "a", "pid": {0}}},
"coll_perf": {{"coll": "AllReduce", "coll_sn": 1, "coll_msg_size_bytes": 1048576, "coll_exec_time_us": 10{0},
"coll_busbw_gbs": 1.0}}}})",
              rank));
  }
  ASSERT_EQ(run(history("add " + folder("job"))).status, 0);
  EXPECT_EQ(count("launch"), "1");
  EXPECT_EQ(count("result"), "4");
  ASSERT_EQ(run(history("add " + folder("job/rank-1.log"))).status, 0);
  EXPECT_EQ(count("result"), "4");
}

TEST_F(HistoryProgram, gives_back_the_rows_that_it_was_given) {
  write("own.csv", csv_of(1));
  ASSERT_EQ(run(history("add " + folder("own.csv"))).status, 0);
  ASSERT_EQ(run(history("export --csv " + folder("out.csv"))).status, 0);
  EXPECT_EQ(results_.records("out.csv"), results_.records("own.csv"));
  ASSERT_EQ(run(history("backup " + folder("copy.db"))).status, 0);
  EXPECT_EQ(run(history("forget")).status, 2) << "of everything";
  EXPECT_EQ(run(history("forget --cluster default")).status, 0);
  EXPECT_EQ(count("result"), "0");
  EXPECT_EQ(run(bin + "/ringmark-history check --store " + folder("copy.db")).status, 0);
}

TEST_F(HistoryProgram, an_export_with_rows_of_other_tools_gives_the_same_answers) {
  for (int number = 0; number < 30; ++number) {
    const auto date = utc_day(history::day(number));
    write(fmt::format("osu-{}.txt", number),
          fmt::format("# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n1024         {:.2f}\n",
                      10 + 0.1 * (number % 3) + (number < 15 ? 0 : 2)));
    ASSERT_EQ(run(history(fmt::format("add {}/osu-{}.txt --ranks 8 --date {}", folder(), number, date))).status, 0);
  }
  const auto changes = [&](const std::string& store) {
    return run(bin + "/ringmark-history changes --store " + folder(store)).output;
  };
  ASSERT_TRUE(has(changes("h.db"), "2026-01-16")) << changes("h.db");
  ASSERT_EQ(run(history("export --csv " + folder("all.csv"))).status, 0);
  ASSERT_EQ(run(bin + "/ringmark-history add " + folder("all.csv") + " --store " + folder("other.db")).status, 0);
  EXPECT_EQ(changes("other.db"), changes("h.db"));
  const auto again = run(history("add " + folder("all.csv")));
  EXPECT_TRUE(has(again.output, "added 0 new launches with 0 rows")) << again.output;
  ASSERT_EQ(run(history("export --json " + folder("all.jsonl"))).status, 0);
  const auto json = run(history("add " + folder("all.jsonl")));
  EXPECT_TRUE(json.status == 2 && has(json.output, "--csv")) << json.output;
}

TEST_F(HistoryProgram, rows_with_wrong_data_are_named) {
  auto row = history::row_of("run", 10).record;
  row.status = Status::wrong;
  write("wrong.csv", write_csv(record_header()) + write_csv(to_csv(row)));
  const auto added = run(history("add " + folder("wrong.csv")));
  EXPECT_EQ(added.status, 0);
  EXPECT_TRUE(has(added.output, "1 has wrong data")) << added.output;
  write("good.csv", csv_of(1));
  ASSERT_EQ(run(history("add " + folder("good.csv"))).status, 0);
  for (const char* question : {"changes", "normal"}) EXPECT_FALSE(has(run(history(question)).output, "wrong data"));
  row.run_id = "later", row.time_utc = utc_text(history::day(2));
  write("later.csv", write_csv(record_header()) + write_csv(to_csv(row)));
  ASSERT_EQ(run(history("add " + folder("later.csv"))).status, 0);
  for (const char* question : {"changes", "normal"})
    EXPECT_TRUE(has(run(history(question)).output, "1 has wrong data")) << question;
}

TEST_F(HistoryProgram, forgets_no_launch_of_today_by_a_date_in_the_future) {
  write("own.csv", csv_of(1));
  ASSERT_EQ(run(history("add " + folder("own.csv"))).status, 0);
  EXPECT_EQ(run(history("forget --before 2999-01-01")).status, 2);
  EXPECT_EQ(count("launch"), "1");
  const auto forgot = run(history("forget --before 2026-06-01"));
  EXPECT_TRUE(has(forgot.output, "from 2026-01-02 to 2026-01-02")) << forgot.output;
  EXPECT_EQ(run(bin + "/ringmark-history forget --launch a --store " + folder("none.db")).status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder("none.db")));
}

TEST_F(HistoryProgram, several_processes_that_add_the_same_files_add_each_row_once) {
  for (int number = 0; number < 60; ++number) write(fmt::format("in/{}.csv", number), csv_of(number));
  const auto add = history("add " + folder("in"));
  const auto all = run(fmt::format(
      "for i in 1 2 3 4; do {} & done; status=0; for job in $(jobs -p); do wait $job || status=$?; done; exit $status",
      add));
  EXPECT_EQ(all.status, 0) << all.output;
  EXPECT_EQ(count("launch"), "60");
  EXPECT_EQ(count("result"), "180");
  EXPECT_EQ(run(history("check")).status, 0);
}

TEST_F(HistoryProgram, kills_at_any_moment_lose_and_double_nothing) {
  for (int number = 0; number < 40; ++number) write(fmt::format("in/{}.csv", number), csv_of(number));
  const auto add = history("add " + folder("in"));
  const char* kills = std::getenv("RINGMARK_KILLS");
  const int most = kills == nullptr ? 30 : std::atoi(kills);
  for (int kill = 0; kill < most; ++kill) {
    run(fmt::format("{} & sleep 0.{:03}; kill -KILL $!; wait", add, 7 * kill % 200));
    if (!std::filesystem::exists(folder("h.db"))) continue;
    const auto check = run(history("check"));
    EXPECT_TRUE(check.status == 0 || has(check.output, "no such store")) << check.output;
  }
  EXPECT_EQ(run(add).status, 0);
  EXPECT_EQ(count("launch"), "40");
  EXPECT_EQ(count("result"), "120");
}

TEST_F(HistoryProgram, a_sweep_adds_its_results) {
  write("sweep.yaml",
        "question: Is it kept?\nprogram: all-reduce\nlauncher: none\nranks: 2\n"
        "arguments: {sizes: [4K], iters: 5, warmup: 1, in-place: \"no\"}\nrepetitions: 2\n");
  const auto sweep = run(bin + "/ringmark-sweep run " + folder("sweep.yaml") + " -o " + folder("r") + " --history " +
                         folder("h.db") + " --cluster box");
  EXPECT_EQ(sweep.status, 0) << sweep.output;
  EXPECT_EQ(count("launch WHERE cluster = 'box'"), "2");
  EXPECT_GT(std::stoi(count("sample")), 0);
  const auto refused = run(bin + "/ringmark-sweep run " + folder("sweep.yaml") + " -o " + folder("r2") + " --history " +
                           folder("sweep.yaml"));
  EXPECT_EQ(refused.status, 2) << refused.output;
  const auto nowhere =
      run(bin + "/ringmark-sweep run " + folder("sweep.yaml") + " -o " + folder("r2") + " --cluster box");
  EXPECT_EQ(nowhere.status, 2) << nowhere.output;
  EXPECT_TRUE(has(nowhere.output, "--history")) << nowhere.output;
  EXPECT_FALSE(std::filesystem::exists(folder("r2"))) << "before anything is launched";
}

TEST_F(HistoryProgram, launches_that_stay_in_another_cluster_are_told) {
  write("own.csv", csv_of(1));
  const auto add_to = [&](const std::string& cluster) {
    return run(history("add " + folder("own.csv") + " --cluster " + cluster));
  };
  ASSERT_EQ(add_to("lab").status, 0);
  EXPECT_FALSE(has(add_to("lab").output, "forget"));
  const auto other = add_to("room");
  EXPECT_EQ(other.status, 0);
  EXPECT_TRUE(has(other.output, "stay in cluster lab") && has(other.output, "forget")) << other.output;
  ASSERT_EQ(run(history("forget --cluster lab")).status, 0);
  EXPECT_FALSE(has(add_to("room").output, "forget"));
  EXPECT_EQ(count("launch WHERE cluster = 'room'"), "1") << "as the hint says";
}

}  // namespace
}  // namespace ringmark

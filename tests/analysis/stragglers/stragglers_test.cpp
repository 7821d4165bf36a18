#include "analysis/stragglers/stragglers.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "tests/analysis/tables.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

EntryTimes entries(int ranks, int iterations, int late_rank, double late_us, std::mt19937_64& random) {
  std::exponential_distribution<double> noise(1.0 / 100);
  EntryTimes operation{
      .run_id = "r", .hosts = {}, .is_step = false, .time_us = 2000, .clock_error_us = 5, .entry_us = {}};
  for (int rank = 0; rank < ranks; ++rank) {
    operation.hosts.push_back("host-" + std::to_string(rank));
    auto& times = operation.entry_us.emplace_back();
    for (int i = 0; i < iterations; ++i)
      times.push_back(i * 3000.0 + noise(random) + (rank == late_rank ? late_us : 0));
  }
  return operation;
}

TEST(LateRanks, one_that_computes_a_fifth_longer_is_named_and_noise_is_not) {
  std::mt19937_64 random(1);
  int missed = 0, false_alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<EntryTimes> slow, same;
    for (int operation = 0; operation < 3; ++operation) {
      slow.push_back(entries(4, 50, 2, 400, random));
      same.push_back(entries(4, 50, -1, 0, random));
    }
    const auto found = late_ranks(slow);
    missed += found.size() == 1 && found[0].name == "rank 2 on host-2" ? 0 : 1;
    false_alarms += late_ranks(same).empty() ? 0 : 1;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(false_alarms, 10);
}

TEST(Stragglers, entries_alone_clear_no_link) {
  EXPECT_NE(print({}, {.entries = true}).find("no rank is significantly late"), std::string::npos);
  EXPECT_EQ(print({}, {.entries = true}).find("link"), std::string::npos);
  EXPECT_NE(blind_spot({.entries = true}).find("ringmark-link"), std::string::npos);
  EXPECT_EQ(blind_spot({.links = true}), "");
}

TEST(LateRanks, what_the_clocks_cannot_tell_is_not_told) {
  std::mt19937_64 random(2);
  auto operation = entries(4, 100, 1, 300, random);
  operation.clock_error_us = 1000;
  EXPECT_TRUE(late_ranks({operation}).empty());
}

/// A samples/1 row of steps of 10 ms, 80 % of them computation, that one rank needs longer for.
std::string steps_line(int ranks, int steps, int slow_rank, double slow_down, bool is_hidden, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.01);
  nlohmann::json line{{"run_id", "r"}, {"timing", "each"}, {"clock_error_us", 1}};
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<double> times, entries, computation, late;
    for (int i = 0; i < steps; ++i) {
      const double more = 8000 * ((rank == slow_rank ? slow_down - 1 : 0) + noise(random));
      times.push_back(10'000 + (slow_rank < 0 || is_hidden ? 0 : 8000 * (slow_down - 1)));
      entries.push_back(20'000.0 * i);
      computation.push_back(8000 + more);
      late.push_back(is_hidden ? 0 : std::max(0.0, more));
    }
    line["time_us"].push_back(times);
    line["entry_us"].push_back(entries);
    line["computation_us"].push_back(computation);
    line["late_us"].push_back(late);
  }
  return line.dump() + "\n";
}

std::vector<EntryTimes> steps(int ranks, int count, int slow_rank, double slow_down, bool is_hidden,
                              std::mt19937_64& random) {
  const ResultFolder folder;
  std::ofstream(folder.file("s")) << steps_line(ranks, count, slow_rank, slow_down, is_hidden, random);
  return read_entry_times(folder.file("s"));
}

TEST(LateRanks, of_training_steps_one_that_computes_a_fifth_longer_is_named_and_noise_is_not) {
  std::mt19937_64 random(5);
  int missed = 0, false_alarms = 0;
  for (int i = 0; i < 500; ++i) {
    const auto found = late_ranks(steps(4, 20, 2, 1.2, false, random));
    missed += found.size() == 1 && found[0].name == "rank 2" && std::abs(found[0].cost_percent - 13.3) < 1.5 ? 0 : 1;
    false_alarms += late_ranks(steps(4, 20, -1, 1, false, random)).empty() ? 0 : 1;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(false_alarms, 5);
}

TEST(LateRanks, computing_longer_behind_communication_holds_up_nobody) {
  std::mt19937_64 random(6);
  EXPECT_TRUE(late_ranks(steps(4, 40, 2, 1.5, true, random)).empty());
}

TEST(LateRanks, too_little_to_tell_is_said) {
  std::mt19937_64 random(7);
  const auto few = steps(4, 10, 2, 1.2, false, random);
  EXPECT_TRUE(late_ranks(few).empty());
  EXPECT_NE(too_few_to_tell(few).find("too few iterations"), std::string::npos);
  EXPECT_EQ(too_few_to_tell(steps(4, 20, 2, 1.2, false, random)), "");
  EXPECT_NE(too_few_to_tell(steps(2, 100, 1, 1.2, false, random)).find("at least three ranks"), std::string::npos);
}

/// Links of 1 GB/s with noise; those of a host, and one link, may be slower.
std::vector<LinkMatrix> matrices(int hosts, int launches, int slow_host, double host_factor, std::mt19937_64& random,
                                 int from = -1, int to = -1, double link_factor = 1) {
  std::normal_distribution<double> normal;
  std::vector<LinkMatrix> all;
  for (int launch = 0; launch < launches; ++launch) {
    auto& matrix = all.emplace_back();
    for (int i = 0; i < hosts; ++i) {
      auto& row = matrix.emplace_back();
      for (int j = 0; j < hosts; ++j) {
        double rate = std::exp(0.03 * normal(random));
        if (i == slow_host || j == slow_host) rate *= host_factor;
        if (i == from && j == to) rate *= link_factor;
        row.push_back(i == j ? std::numeric_limits<double>::quiet_NaN() : rate);
      }
    }
  }
  return all;
}

std::vector<std::string> names(int hosts) {
  std::vector<std::string> all;
  for (int i = 0; i < hosts; ++i) all.push_back("rank " + std::to_string(i));
  return all;
}

TEST(SlowLinks, a_host_at_half_rate_is_named_and_noise_is_not) {
  std::mt19937_64 random(3);
  int missed = 0, false_alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto found = slow_links(matrices(4, 1, 2, 0.5, random), names(4));
    missed += found.size() == 1 && found[0].name == "rank 2" && std::abs(found[0].cost_percent - 100) < 15 ? 0 : 1;
    false_alarms += slow_links(matrices(4, 1, -1, 1, random), names(4)).empty() ? 0 : 1;
    false_alarms += slow_links(matrices(8, 3, -1, 1, random), names(8)).empty() ? 0 : 1;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(false_alarms, 20);
}

TEST(SlowLinks, one_slow_link_is_told_from_a_slow_host_and_needs_to_repeat) {
  std::mt19937_64 random(4);
  const auto found = slow_links(matrices(5, 4, -1, 1, random, 1, 3, 0.7), names(5));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "link rank 1 -> rank 3");
  EXPECT_EQ(found[0].kind, Straggler::Kind::link);
  EXPECT_TRUE(slow_links(matrices(5, 1, -1, 1, random, 1, 3, 0.7), names(5)).empty()) << "once may be chance";
}

TEST(SlowLinks, too_few_to_name_a_host_are_told) {
  std::mt19937_64 random(8);
  const auto links = [&](int hosts, int launches) {
    return Links{matrices(hosts, launches, -1, 1, random), names(hosts), 1 << 20};
  };
  EXPECT_NE(too_few_to_tell(links(3, 1)).find("give 3"), std::string::npos);
  EXPECT_EQ(too_few_to_tell(links(3, 3)), "");
  EXPECT_EQ(too_few_to_tell(links(4, 1)), "");
  EXPECT_NE(too_few_to_tell(links(2, 5)).find("at least three hosts"), std::string::npos);
  EXPECT_EQ(too_few_to_tell(Links{}), "");
}

TEST(SlowLinks, come_from_rows) {
  Table table;
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      if (from == to) continue;
      auto row = measured("run", 10);
      row.schema = Schema::link;
      row.collective = LinkTest::bandwidth;
      row.algbw_GBps = 10 * from + to;
      row.link = {from, to};
      table.add(row, "l", 1);
    }
  }
  const auto links = links_of(table, all_rows(table));
  ASSERT_EQ(links.launches.size(), 1U);
  EXPECT_EQ(links.names, names(3));
  EXPECT_EQ(links.launches[0][2][1], 21);
  EXPECT_TRUE(std::isnan(links.launches[0][1][1]));
}

TEST(Samples, are_read_with_their_hosts_and_complaints_name_the_line) {
  const ResultFolder folder;
  const std::string
      context =
          R"~({"schema":"samples/1","context":{"run_id":"a","hosts":["x (10.0.0.1:4000)","y"],"host_names":["x","y"]}})~",
      row = R"({"run_id":"a","timing":"each","clock_error_us":1.5,"time_us":[[5,6],[7,4]],"entry_us":[[0,10],[1,11]]})";
  const auto write = [&](const std::string& text) { std::ofstream(folder.file("s")) << text; };
  write(context + "\n" + row + "\n" + row.substr(0, 40));
  const auto operations = read_entry_times(folder.file("s"));
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_EQ(operations[0].hosts, (std::vector<std::string>{"x", "y"}));
  EXPECT_DOUBLE_EQ(operations[0].time_us, 6.5);
  auto earlier = context;
  earlier.replace(earlier.find("host_names"), 10, "host_nicks");
  write(earlier + "\n" + row + "\n");
  EXPECT_EQ(read_entry_times(folder.file("s")).at(0).hosts, operations[0].hosts);
  write(context + "\n{\n" + row + "\n");
  EXPECT_THROW(read_entry_times(folder.file("s")), BadUsage);
  auto uneven = row;
  uneven.replace(uneven.find("[1,11]"), 6, "[1]");
  write(context + "\n" + uneven + "\n");
  EXPECT_THROW(read_entry_times(folder.file("s")), BadUsage);
  EXPECT_THROW(read_entry_times(folder.file("none")), BadUsage);
  write(std::string(100, '['));
  EXPECT_THROW(read_entry_times(folder.file("s")), BadUsage) << "the parser would take memory for each bracket";
}

TEST(SlowLinks, name_the_hosts_of_ranks_that_stayed_on_one) {
  Table table;
  for (const std::string launch : {"a", "b"}) {
    Record row;
    row.schema = Schema::link;
    row.run_id = launch;
    row.collective = LinkTest::bandwidth;
    row.nodes = 2;
    row.size_bytes = 1024;
    row.algbw_GBps = 1;
    row.link = {0, 1};
    row.settings = settings_from({{"src_host", "n1"}, {"dst_host", launch == "a" ? "n2" : "n3"}});
    table.add(row, "r", 1);
  }
  EXPECT_EQ(links_of(table, {0, 1}).names, (std::vector<std::string>{"rank 0 on n1", "rank 1"}));
  EXPECT_EQ(links_of(table, {0}).names, (std::vector<std::string>{"rank 0 on n1", "rank 1 on n2"}));
}

}  // namespace
}  // namespace ringmark::analysis

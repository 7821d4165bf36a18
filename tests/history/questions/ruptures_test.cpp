// The search against that of Python's ruptures on the same planted changes; record_ruptures.py made the files.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "history/questions/changes.hpp"
#include "tests/history/questions/simulated_series.hpp"

namespace ringmark::history {
namespace {

using Places = std::vector<int>;

bool is_near(int place, const Places& places) {
  constexpr int off = 2;
  return std::any_of(places.begin(), places.end(), [&](int other) { return std::abs(place - other) <= off; });
}

auto count_far(const Places& places, const Places& planted) {
  return std::count_if(places.begin(), places.end(), [&](int place) { return !is_near(place, planted); });
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::ifstream stream(std::string(RINGMARK_SOURCE_DIR) + "/tests/history/questions/" + file);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    auto& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
  }
  return rows;
}

TEST(Ruptures, finds_no_planted_change_that_is_not_found_and_no_fewer_false_ones) {
  std::map<std::string, std::vector<Point>> series;
  for (const auto& row : rows_of("planted_series.csv")) {
    series[row.at(0)].push_back({day(std::stoi(row.at(1))), std::stod(row.at(2))});
  }
  std::map<std::string, std::map<std::string, Places>> recorded;
  for (const auto& row : rows_of("planted_changes.csv")) recorded[row.at(0)][row.at(2)].push_back(std::stoi(row.at(1)));
  ASSERT_EQ(series.size(), 12u);
  int found_by_ruptures = 0;
  for (const auto& [name, points] : series) {
    Places found;
    for (const auto& change : changes_in(points, {.series = series.size()}))
      found.push_back(static_cast<int>(change.first));
    auto& known = recorded[name];
    for (const std::string model : {"l2", "rbf"}) {
      for (const int place : known["planted"]) {
        if (!is_near(place, known[model])) continue;
        ++found_by_ruptures;
        EXPECT_TRUE(is_near(place, found)) << name << " at " << place << " by " << model;
      }
      EXPECT_LE(count_far(found, known["planted"]), count_far(known[model], known["planted"]))
          << name << " by " << model;
    }
  }
  EXPECT_EQ(found_by_ruptures, 27);
}

}  // namespace
}  // namespace ringmark::history

// The spreadsheet after edits, as LibreOffice computes it, against plans made with the same values.
#include "analysis/plan/workbook.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/plan/answers.hpp"
#include "analysis/plan/places_table.hpp"
#include "analysis/plan/purchase_words.hpp"
#include "analysis/plan/words.hpp"
#include "results/files/csv.hpp"
#include "tests/analysis/plan/scenario_text.hpp"
#include "tests/programs/office.hpp"

namespace ringmark::analysis {
namespace {

using namespace testing_support;

constexpr auto planned = R"(
question: Which one?
tokens: 20e9
global_batch_sequences: 512
models: [llama-8b]
nodes: [2, 4, 8]
micro_batch: [1, 2]
deadline_days: 3
budget: 9e4
start: 2027-01-15
clusters:
  - {name: A, device: a100, price_per_GPU_hour: {low: 1.7, likely: 2, high: 2.9}, power_kW_per_GPU: 0.5,
     reserved: {nodes: 3, price_per_GPU_hour: 1.4}, next: {device: b200, price_per_GPU_hour: {low: 5, likely: 6, high: 6}},
     node_mtbf_hours: {low: 500, likely: 4000, high: 9000}, checkpoint_write_s: 60, restart_s: 300,
     intra: {alpha_us: 5, GBps: {low: 150, likely: 230, high: 240}},
     network: {alpha_us: 10, GBps: {low: 60, likely: 180, high: 190}}}
  - {name: B, device: h100, spare_nodes: 1, node_mtbf_hours: 4000, checkpoint_write_s: 60, restart_s: 300,
     purchase: {price_per_GPU: 90000, years: 3, electricity_per_kWh: 0.1, PUE: 1.3},
     intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 10, GBps: 90}}
)";

using Cells = std::vector<std::vector<std::string>>;

/// Values for cells, by the cells' names, and a scenario with the same values.
struct Edit {
  std::map<std::string, std::string> cells;
  Scenario scenario;
};

class Workbook : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_office(); !reason.empty()) GTEST_SKIP() << reason;
    if (run("command -v zip && command -v unzip").status != 0) GTEST_SKIP() << "zip or unzip is not installed";
    const auto plan = plan_with_variants(scenario_);
    write_workbook(folder_.file("plan.xlsx"), scenario_, plan, answers_of(scenario_, plan.rows));
    ASSERT_EQ(run(fmt::format("cd {} && mkdir x && cd x && unzip -q ../plan.xlsx", folder_.path())).status, 0);
    sheet_ = read(folder_.file("x/xl/worksheets/sheet2.xml"));
    const auto book = read(folder_.file("x/xl/workbook.xml"));
    const std::regex name(R"rx(<definedName name="([^"]+)">Assumptions!\$([A-Z])\$(\d+)</definedName>)rx");
    for (std::sregex_iterator it(book.begin(), book.end(), name), end; it != end; ++it)
      cells_[(*it)[1]] = (*it)[2].str() + (*it)[3].str();
    ASSERT_GT(cells_.size(), 10U);
  }

  static std::string read(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  Edit random_edit() {
    Edit edit{{}, scenario_};
    const auto factor = [&] { return std::exp(std::uniform_real_distribution(-1.2, 1.2)(random_)); };
    const auto set = [&](const std::string& name, double value) { edit.cells[name] = fmt::format("{:.17g}", value); };
    const auto change = [&](const std::string& name, double& value, double most = 1e300) {
      if (random_() % 3 == 0) set(name, value = std::min(most, value * factor()));
    };
    // Likely, low and high, each of which may be as it was or certain.
    const auto change_range = [&](const std::string& key, const std::string& of, double& likely, Interval& range) {
      const Interval before{likely * range.low, likely * range.high};
      change(key + of, likely);
      const double low = random_() % 2 == 0 ? likely / (1 + factor()) : std::min(likely, before.low),
                   high = random_() % 2 == 0 ? likely * (1 + factor()) : std::max(likely, before.high);
      set(key + "low_" + of, low);
      set(key + "high_" + of, high);
      range = {low / likely, high / likely};
    };
    auto& s = edit.scenario;
    change("tokens_", s.tokens);
    change("utilisation_", s.utilisation, 1);
    change("deadline_days_", *s.deadline_days);
    change("budget_", *s.budget);
    if (random_() % 3 == 0) {
      s.start = Day{std::chrono::days{20000 + static_cast<int>(random_() % 5000)}};
      set("start_", day_number(*s.start));
    }
    if (random_() % 3 == 0)
      edit.cells["certainty_"] =
          fmt::format("{:.17g}", s.certainty = std::uniform_real_distribution(0.5, 0.99)(random_));
    for (std::size_t c = 0; c < s.clusters.size(); ++c) {
      auto& cluster = s.clusters[c];
      const auto name = cluster.name;  // a next device is named as well
      if (const auto variants = variants_of(scenario_, c); random_() % 3 == 0) {
        const auto& variant = variants[random_() % variants.size()];
        edit.cells["hardware_" + name + "_"] = variant.is_next ? "with the next device" : variant.name;
        cluster = variant.cluster;
        if (variant.is_next)
          change_range("next_price_per_GPU_hour_", name + "_", cluster.price_per_GPU_hour, cluster.price_range);
        if (variant.is_next) continue;
      }
      if (cluster.reserved) {
        change("reserved_nodes_" + name + "_", cluster.reserved->nodes);
        change("reserved_price_per_GPU_hour_" + name + "_", cluster.reserved->price_per_GPU_hour);
        if (random_() % 3 == 0) set("reserved_share_" + name + "_", cluster.reserved->share = 0.4);
      }
      change("spare_nodes_" + name + "_", cluster.spare_nodes);
      if (cluster.purchase) {
        change("price_per_GPU_" + name + "_", cluster.purchase->price_per_GPU);
        change("electricity_per_kWh_" + name + "_", cluster.purchase->electricity_per_kWh);
        change("power_kW_per_GPU_" + name + "_", cluster.power_kW_per_GPU);
        cluster.price_per_GPU_hour = hour_price(*cluster.purchase, cluster.power_kW_per_GPU);
      } else {
        change_range("price_per_GPU_hour_", name + "_", cluster.price_per_GPU_hour, cluster.price_range);
      }
      change_range("node_mtbf_hours_", name + "_", cluster.failures.node_mtbf_hours, cluster.failures.mtbf_range);
      change("checkpoint_write_s_" + name + "_", cluster.failures.checkpoint_write_s);
      change("restart_s_" + name + "_", cluster.failures.restart_s);
    }
    return edit;
  }

  void write_edited(const Edit& edit, int number) {
    auto sheet = sheet_;
    for (const auto& [name, value] : edit.cells) {
      ASSERT_TRUE(cells_.contains(name)) << name;
      const bool is_text = name.starts_with("hardware");
      const std::regex cell(fmt::format(R"rx(<c r="{}"( s="\d+")?(/>|[^>]*><v>[^<]*</v></c>))rx", cells_.at(name)));
      const auto content = value.empty() ? "></c>"
                           : is_text     ? "t=\"inlineStr\"><is><t>" + value + "</t></is></c>"
                                         : "><v>" + value + "</v></c>";
      const auto edited = std::regex_replace(sheet, cell, fmt::format("<c r=\"{}\"$1 {}", cells_.at(name), content));
      ASSERT_NE(edited, sheet) << name;
      sheet = edited;
    }
    std::ofstream(folder_.file("x/xl/worksheets/sheet2.xml")) << sheet;
    const auto zipped = run(fmt::format("cd {}/x && zip -qr ../edit{}.xlsx .", folder_.path(), number));
    ASSERT_EQ(zipped.status, 0) << zipped.output;
  }

  Scenario scenario_ = scenario_of(planned);
  ResultFolder folder_;
  std::string sheet_;
  std::map<std::string, std::string> cells_;  ///< addresses on the sheet Assumptions, by name
  std::mt19937 random_{41};
};

/// Numbers of edits: a few in every run, 200 with RINGMARK_EDITS=200.
int edits() {
  const char* given = std::getenv("RINGMARK_EDITS");
  return given != nullptr ? std::atoi(given) : 25;
}

TEST_F(Workbook, answers_after_any_edit_as_a_plan_with_these_values_does) {
  std::vector<Edit> all;
  for (int i = 0; i < edits(); ++i) {
    all.push_back(random_edit());
    write_edited(all.back(), i);
  }
  recalculate(folder_, "edit*.xlsx", 1);
  std::map<std::string, int> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(fmt::format("edit {}", i));
    const auto cells = parse_csv(read(folder_.file(fmt::format("edit{}-Answer.csv", i))));
    const auto& scenario = all[i].scenario;
    const auto rows = make_plan(scenario);
    const auto answer = answers_of(scenario, rows).at(0);
    ASSERT_TRUE(answer.chosen);
    const auto& row = *answer.chosen->row;
    const auto& line = cells.at(3);
    const auto near = [&](const std::string& cell, double value) {
      EXPECT_NEAR(std::stod(cell) / value, 1, 1e-6) << cell << ", " << value;
    };
    EXPECT_EQ(line.at(1), scenario.clusters[row.cluster].name);
    near(line.at(2), row.nodes);
    EXPECT_TRUE(has(cells.at(1).at(0), fmt::format("{} nodes of {}, ", row.nodes, scenario.clusters[row.cluster].name)))
        << cells.at(1).at(0);
    EXPECT_EQ(has(cells.at(1).at(0), "The answer"), answer.meets_deadline && answer.meets_budget);
    near(line.at(4), row.days);
    const auto days = answer.chosen->days(), cost = answer.chosen->cost();
    near(line.at(5), days.range().low);
    near(line.at(6), days.range().high);
    near(line.at(7), row.cost);
    near(line.at(8), cost.range().high);
    near(line.at(9), row.expected_cost);
    near(line.at(10), row.cost_per_Btok);
    EXPECT_NEAR(std::stod(line.at(11)), row.outlay, 1e-6 * row.outlay);
    EXPECT_EQ(has(cells.at(1).at(0), "of an order of"), row.outlay > 0) << cells.at(1).at(0);
    EXPECT_EQ(has(cells.at(1).at(0), "GPUs to pay for"), scenario.clusters[row.cluster].spare_nodes > 0);
    near(line.at(12), row.energy_MWh);
    EXPECT_NEAR(std::stod(line.at(13)) / 100, *days.probability_below(*scenario.deadline_days), 1e-6);
    EXPECT_NEAR(std::stod(line.at(14)) / 100, *cost.probability_below(*scenario.budget), 1e-6);
    const auto& end = cells.at(4).at(1);
    EXPECT_TRUE(end.starts_with(day_after(*scenario.start, row.days))) << end;
    EXPECT_TRUE(has(end, day_after(*scenario.start, days.range(0.5).low) + " to ")) << end;
    EXPECT_TRUE(has(end, day_after(*scenario.start, days.range().high) + ")")) << end;
    EXPECT_TRUE(has(line.at(15), configuration_words(row))) << line.at(15);
    EXPECT_EQ(has(cells.at(5).at(1), "plan again"), !answer.meets_deadline) << "the remedy is of other values";
    ASSERT_TRUE(answer.bought);
    ASSERT_TRUE(answer.rented);
    EXPECT_EQ(cells.at(6).at(1), purchase_words(scenario, *answer.bought->row, answer.rented->row, {}).now());
    const auto other =
        std::find_if(cells.begin(), cells.end(), [](const auto& each) { return each.at(0) == "another cluster"; });
    ASSERT_NE(other, cells.end());
    EXPECT_EQ(other->at(1), scenario.clusters[answer.other->row->cluster].name);
    near(other->at(4), answer.other->row->days);
    near(other->at(7), answer.other->row->cost);
    EXPECT_EQ(line.at(0).starts_with("No cluster meets the deadline"), !answer.meets_deadline);
    ++chosen[line.at(1) + line.at(2)];
    const auto cheapest =
        std::find_if(cells.begin(), cells.end(), [](const auto& each) { return each.at(0) == "the cheapest of all"; });
    ASSERT_NE(cheapest, cells.end());
    const auto& least = answer.cheapest ? *answer.cheapest : *answer.chosen;
    near(cheapest->at(7), least.row->cost);
    EXPECT_EQ(cheapest->at(15).starts_with("misses the deadline"), least.row->days > *scenario.deadline_days);
    EXPECT_EQ(has(cheapest->at(15), "may miss the deadline"),
              least.row->days <= *scenario.deadline_days &&
                  least.days().not_exceeded(scenario.certainty) > *scenario.deadline_days);
    // Another hardware than planned is not compared with the hardware as planned.
    const auto hardware = all[i].cells.find("hardware_" + std::string(row.cluster == 0 ? "A" : "B") + "_");
    const bool is_other_hardware = hardware != all[i].cells.end() && hardware->second != "as planned";
    for (const auto& change : cells) {
      if (change.at(0) == "its second configuration") {
        const auto* second = answer.chosen->runner_up;
        ASSERT_TRUE(second);
        near(change.at(4), second->days);
        near(change.at(7), second->cost);
        near(change.at(9), row.price_per_GPU_hour * row.days / second->days);
        EXPECT_EQ(change.at(15), configuration_words(*second));
      }
      if (change.at(0) != "with the next device") continue;
      EXPECT_EQ(has(change.at(15), "plan again"), is_other_hardware) << change.at(15);
      EXPECT_TRUE(!is_other_hardware || change.at(4).empty());
      if (change.at(4).empty()) continue;
      ASSERT_EQ(line.at(1), "A") << "B has none";
      const double price = scenario_.clusters[0].next->price_per_GPU_hour;
      const double paid = row.ranks + 8 * scenario.clusters[0].spare_nodes;
      EXPECT_NEAR(std::stod(change.at(7)) / (std::stod(change.at(4)) * 24 * paid), price, 1e-6 * price);
    }
    // The ranking: the order of every place.
    std::size_t first = 0;
    while (cells.at(first).at(0) != "model") ++first;
    const auto places = places_of(rows);
    for (std::size_t place = 0; place < places.size(); ++place) {
      const auto& of = cells.at(first + 1 + place);
      const auto& best = rows[places[place].rows.front()];
      const auto order = order_of(scenario, {&best});
      EXPECT_EQ(std::stod(of.at(17)), order.tier);
      near(of.at(18), order.first);
      near(of.at(19), order.second);
      const auto& ranked = *ranked_choices(scenario, rows, 0).at(std::stoul(of.at(16)) - 1).row;
      EXPECT_EQ(ranked.cluster, best.cluster);
      EXPECT_EQ(ranked.nodes, best.nodes);
      near(of.at(4), best.days);
    }
  }
  EXPECT_GT(chosen.size(), 3U) << "edits move the answer";
}

TEST_F(Workbook, takes_no_price_for_free_only_if_it_is_zero_and_has_no_errors) {
  const std::vector<Edit> all{{{{"price_per_GPU_hour_A_", ""}}, scenario_},
                              {{{"price_per_GPU_hour_A_", "0"},
                                {"price_per_GPU_hour_low_A_", "0"},
                                {"price_per_GPU_hour_high_A_", "0"},
                                {"reserved_nodes_A_", "0"}},
                               scenario_},
                              {{{"price_per_GPU_B_", ""}}, scenario_},
                              {{{"tokens_", "0"}}, scenario_},
                              {{{"years_B_", "0"}}, scenario_}};
  for (std::size_t i = 0; i < all.size(); ++i) write_edited(all[i], static_cast<int>(i));
  recalculate(folder_, "edit*.xlsx", 1);
  const auto cells_of = [&](int i) { return parse_csv(read(folder_.file(fmt::format("edit{}-Answer.csv", i)))); };
  const auto is_without_price = [](const Cells& cells, const std::string& cluster) {
    return std::any_of(cells.begin(), cells.end(),
                       [&](const auto& line) { return line.at(1) == cluster && line.at(15) == no_price; });
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(fmt::format("edit {}", i));
    for (const auto& line : cells_of(static_cast<int>(i)))
      for (const auto& cell : line) EXPECT_FALSE(cell.starts_with("#") || cell.starts_with("Err:")) << cell;
  }
  EXPECT_EQ(cells_of(0).at(3).at(1), "B") << "an emptied price is unknown";
  EXPECT_TRUE(is_without_price(cells_of(0), "A"));
  EXPECT_EQ(cells_of(1).at(3).at(1), "A");
  EXPECT_EQ(std::stod(cells_of(1).at(3).at(7)), 0);
  EXPECT_TRUE(is_without_price(cells_of(2), "B"));
  EXPECT_TRUE(has(cells_of(3).at(1).at(0), "nothing fits"));
  EXPECT_TRUE(is_without_price(cells_of(4), "B"));
}

}  // namespace
}  // namespace ringmark::analysis

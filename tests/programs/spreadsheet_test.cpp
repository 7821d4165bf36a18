// The spreadsheet of ringmark-analyze plan, opened by another program.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "results/csv.hpp"
#include "tests/programs/analyze_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

constexpr auto scenario = R"(
question: What does it cost?
tokens: 1e9
models: [llama-440m, llama-8b]
stages: [0, 1, 2, 3]
micro_batch: [1, 16]
accumulation: [1, 4]
nodes: [1, 2, 8]
clusters:
  - {name: A & B, peak_TFLOPS: 312, efficiency: 0.4375, memory_GB: 80.5, price_per_GPU_hour: 2.125, power_kW_per_GPU: 0.7,
     node_mtbf_hours: 4321.5, checkpoint_write_s: 61, restart_s: 300,
     intra: {alpha_us: 5, GBps: 200.5}, network: {alpha_us: 10.5, GBps: 100.5}}
  - {name: slow, peak_TFLOPS: 312, price_per_GPU_hour: 1, intra: {alpha_us: 5, GBps: 20}, network: {alpha_us: 100, GBps: 1.25}}
)";

using Cells = std::vector<std::vector<std::string>>;

class Spreadsheet : public AnalyzeFixture {
 protected:
  std::string plan(const std::string& name, const std::vector<std::pair<std::string, std::string>>& changes) const {
    std::string text = scenario;
    for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
    std::ofstream(folder_.file(name + ".yaml")) << text;
    return analyze(fmt::format("plan {0}.yaml -o {0}.xlsx", name)).output;
  }

  /// Opened by LibreOffice, which computes every formula again: a sheet's cells as they are.
  std::map<std::string, Cells> recalculated(const std::string& name) const {
    std::filesystem::create_directories(folder_.file("office/user"));
    std::ofstream(folder_.file("office/user/registrymodifications.xcu")) << R"(<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>)";
    const auto converted =
        run(fmt::format("cd {} && soffice -env:UserInstallation=file://$PWD/office --headless --convert-to "
                        "'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1' {}.xlsx",
                        folder_.path(), name),
            120);
    EXPECT_EQ(converted.status, 0) << converted.output;
    std::map<std::string, Cells> sheets;
    for (const std::string sheet : {"Answer", "Assumptions", "Sensitivity", "Results", "Best", "Sources", "Variants"}) {
      sheets[sheet] = parse_csv(text_of(name + "-" + sheet + ".csv"));
      EXPECT_FALSE(sheets[sheet].empty()) << sheet << " " << converted.output;
      for (const auto& row : sheets[sheet]) {
        for (const auto& cell : row)
          EXPECT_FALSE(cell.starts_with("#") || cell.starts_with("Err:")) << sheet << ": " << cell;
      }
    }
    return sheets;
  }

  /// Rows are matched by configuration and nodes: in the sheet they keep their places.
  void expect_equal(Cells sheet, Cells plan) const {
    ASSERT_EQ(sheet.size(), plan.size() + 1);  // the sheet has a line of units
    const auto by_configuration = [](const auto& a, const auto& b) {
      return std::lexicographical_compare(a.begin(), a.begin() + 7, b.begin(), b.begin() + 7);
    };
    std::sort(sheet.begin() + 2, sheet.end(), by_configuration);
    std::sort(plan.begin() + 1, plan.end(), by_configuration);
    int figures = 0;
    for (std::size_t c = 0; c < plan[0].size(); ++c) {
      const auto found = std::find(sheet[0].begin(), sheet[0].end(), plan[0][c]);
      ASSERT_NE(found, sheet[0].end()) << plan[0][c];
      const auto at = static_cast<std::size_t>(found - sheet[0].begin());
      for (std::size_t row = 1; row < plan.size(); ++row) {
        const auto &theirs = sheet[row + 1][at], &ours = plan[row][c];
        if (theirs == ours) continue;
        ASSERT_FALSE(theirs.empty() || ours.empty())
            << plan[0][c] << " of row " << row << ": " << theirs << ", " << ours;
        EXPECT_NEAR(std::stod(theirs) / std::stod(ours), 1, 1e-6) << plan[0][c] << " of row " << row;
        ++figures;
      }
    }
    EXPECT_GT(figures, 500);
  }
};

TEST_F(Spreadsheet, every_formula_gives_the_plan_also_after_an_assumption_was_changed) {
  if (run("command -v soffice && command -v zip && command -v unzip").status != 0) {
    GTEST_SKIP() << "there is no LibreOffice, or no zip";
  }
  ASSERT_TRUE(has(plan("plan", {}), "wrote plan.xlsx and plan.csv"));
  expect_equal(recalculated("plan")["Results"], parse_csv(text_of("plan.csv")));
  // A planner's values, typed into yellow cells, against a plan that began with them.
  const std::vector<std::pair<std::string, std::string>> changes{
      {"2.125", "3.25"}, {"0.4375", "0.5"}, {"100.5", "33.5"}, {"80.5", "40"}, {"10.5", "1000"}, {"4321.5", "432.5"},
  };
  auto edit = fmt::format("cd {} && mkdir x && cd x && unzip -q ../plan.xlsx && sed -i", folder_.path());
  for (const auto& [from, to] : changes) edit += fmt::format(" -e 's|<v>{}</v>|<v>{}</v>|'", from, to);
  edit += R"( -e 's|\(<c r="B19"[^>]*><v>\)1<|\164<|')";  // the first number of nodes, which then is the largest
  ASSERT_EQ(run(edit + " xl/worksheets/sheet2.xml && zip -qr ../changed.xlsx .").status, 0);
  auto with_nodes = changes;
  with_nodes.emplace_back("nodes: [1,", "nodes: [64,");
  plan("expected", with_nodes);
  expect_equal(recalculated("changed")["Results"], parse_csv(text_of("expected.csv")));
  plan("eager", {{"stages:", "software: transformers\nstages:"}});
  expect_equal(recalculated("eager")["Results"], parse_csv(text_of("eager.csv")));
}

constexpr auto deadline_scenario = R"(
question: Which one?
tokens: 20e9
global_batch_sequences: 512
models: [llama-8b]
nodes: [2, 4, 8]
micro_batch: [1, 2]
deadline_days: 10
clusters:
  - {name: A, device: a100, price_per_GPU_hour: 2.125, next: {device: b200, price_per_GPU_hour: 6}, node_mtbf_hours: 4000,
     checkpoint_write_s: 60, restart_s: 300, intra: {alpha_us: 5, GBps: 230}, network: {alpha_us: 10, GBps: 180}}
  - {name: B, device: h100, price_per_GPU_hour: 3.625, node_mtbf_hours: 4000, checkpoint_write_s: 60, restart_s: 300,
     intra: {alpha_us: 5, GBps: 360}, network: {alpha_us: 10, GBps: 180}}
)";

/// The sheets Answer and Sensitivity against the plan's own figures, as made and after a price was typed in that moves
/// the answer to the other cluster.
TEST_F(Spreadsheet, the_answer_and_what_moves_it_follow_the_assumptions) {
  if (run("command -v soffice && command -v zip && command -v unzip").status != 0) {
    GTEST_SKIP() << "there is no LibreOffice, or no zip";
  }
  const auto planned = [&](const std::string& name, const std::string& price) {
    std::string text = deadline_scenario;
    text.replace(text.find("3.625"), 5, price);
    std::ofstream(folder_.file(name + ".yaml")) << text;
    return analyze(fmt::format("plan {0}.yaml -o {0}.xlsx", name)).output;
  };
  planned("plan", "3.625");
  planned("expected", "9.75");
  ASSERT_EQ(run(fmt::format("cd {} && mkdir y && cd y && unzip -q ../plan.xlsx && sed -i 's|<v>3.625</v>|<v>9.75</v>|' "
                            "xl/worksheets/sheet2.xml && zip -qr ../changed.xlsx .",
                            folder_.path()))
                .status,
            0);
  const auto before = recalculated("plan"), after = recalculated("changed"), expected = recalculated("expected");
  const auto chosen = [](const auto& sheets, std::size_t column) { return sheets.at("Answer").at(3).at(column); };
  EXPECT_EQ(chosen(before, 1), "B");
  EXPECT_EQ(chosen(after, 1), "A") << "the other one is dear now";
  for (std::size_t column = 1; column <= 9; ++column)
    EXPECT_EQ(chosen(after, column), chosen(expected, column)) << column;
  const auto configuration = after.at("Answer").at(4).at(1);
  EXPECT_FALSE(configuration.empty());
  EXPECT_EQ(configuration, expected.at("Answer").at(4).at(1));
  const auto& moves = before.at("Sensitivity");
  const auto by_price = std::find_if(
      moves.begin(), moves.end(), [](const auto& line) { return line.size() > 6 && line[1] == "price_per_GPU_hour"; });
  ASSERT_NE(by_price, moves.end());
  EXPECT_NEAR(std::stod(by_price->at(4)), 0.8 * std::stod(chosen(before, 8)), 1e-6 * std::stod(by_price->at(4)));
  const auto heaviest = std::abs(std::stod(moves.at(6).at(5)) - std::stod(moves.at(6).at(4)));
  for (std::size_t line = 7; line < moves.size() && moves[line].size() > 5 && !moves[line][4].empty(); ++line)
    EXPECT_LE(std::abs(std::stod(moves[line][5]) - std::stod(moves[line][4])), heaviest * 1.000001) << line;
  // Each change to the answer has figures.
  int changes = 0;
  for (std::size_t line = 5; line < after.at("Answer").size() && line < 14; ++line) {
    const auto& cells = after.at("Answer")[line];
    if (cells.size() < 8 || cells[7].empty() || cells[0].starts_with("changes")) continue;
    EXPECT_GT(std::stod(cells[3]), 0) << cells[0];
    EXPECT_GT(std::stod(cells[7]), 0) << cells[0];
    ++changes;
  }
  EXPECT_GE(changes, 4);
}

TEST_F(Spreadsheet, replayed_steps_hold_until_what_they_rest_on_is_changed) {
  if (run("command -v soffice && command -v zip && command -v unzip").status != 0) {
    GTEST_SKIP() << "there is no LibreOffice, or no zip";
  }
  const std::pair<std::string, std::string> replay{"tokens: 1e9", "tokens: 1e9\nreplay: true"}, change{"0.4375", "0.5"};
  plan("replayed", {replay});
  const auto replayed = parse_csv(text_of("replayed.csv"));
  expect_equal(recalculated("replayed")["Results"], replayed);
  ASSERT_EQ(
      run(fmt::format("cd {} && mkdir x && cd x && unzip -q ../replayed.xlsx && sed -i 's|<v>0.4375</v>|<v>0.5</v>|' "
                      "xl/worksheets/sheet2.xml && zip -qr ../changed.xlsx .",
                      folder_.path()))
          .status,
      0);
  plan("arithmetic", {change});
  auto expected = parse_csv(text_of("arithmetic.csv"));
  const auto cluster =
      static_cast<std::size_t>(std::find(expected[0].begin(), expected[0].end(), "cluster") - expected[0].begin());
  std::size_t kept = 0;
  for (std::size_t row = 1; row < expected.size(); ++row) {
    if (expected[row].at(cluster) != "slow") continue;
    expected[row] = replayed[row];
    ++kept;
  }
  EXPECT_GT(kept, 10U);
  EXPECT_LT(kept + 10, expected.size());
  expect_equal(recalculated("changed")["Results"], expected);
}

TEST_F(Spreadsheet, is_well_formed_whatever_the_words) {
  if (run("python3 -c 'import zipfile, xml.dom.minidom'").status != 0) GTEST_SKIP() << "there is no python3";
  plan("odd", {{"What does it cost?", "\"a\\x01b\\x0c \\e <&> \\uFFFE\""}, {"name: slow", "name: \"it's & (1)\""}});
  const auto parsed = run("cd " + folder_.path() +
                          " && python3 -c \"import zipfile, xml.dom.minidom as x; z = zipfile.ZipFile('odd.xlsx'); "
                          "[x.parseString(z.read(n)) for n in z.namelist() if n.endswith('.xml')]\"");
  EXPECT_EQ(parsed.status, 0) << parsed.output;
}

TEST_F(AnalyzeFixture, what_cannot_be_held_is_refused_in_little_memory) {
  const auto within = [&](const std::string& words) {
    return run("ulimit -v 700000; cd " + folder_.path() + " && " + bin + "/ringmark-analyze " + words);
  };
  const auto endless = within("compare /dev/zero --by transport");
  EXPECT_EQ(endless.status, 2) << endless.output;
  EXPECT_TRUE(has(endless.output, "MiB")) << endless.output;
  auto header = record_header();
  std::ofstream wide(folder_.file("wide.csv"));
  for (int column = 0; column < 3000; ++column) header.push_back(fmt::format("setting{}", column));
  wide << write_csv(header);
  for (int row = 0; row < 100; ++row) {
    auto cells = to_csv(measured(fmt::format("run{}", row), 10, 1024, 2));
    for (int column = 0; column < 3000; ++column) cells.push_back(fmt::format("value{}", row % 2));
    wide << write_csv(cells);
  }
  wide.close();
  const auto unbounded = within("recommend wide.csv");
  EXPECT_EQ(unbounded.status, 2) << unbounded.output;
  EXPECT_TRUE(has(unbounded.output, "3000 settings")) << unbounded.output;
}

TEST_F(Spreadsheet, a_full_disk_leaves_the_old_one_and_bad_words_are_named) {
  plan("plan", {});
  const auto before = text_of("plan.xlsx");
  const auto full = run(fmt::format(
      "cd {} && (ulimit -f 10; trap '' XFSZ; {}/ringmark-analyze plan plan.yaml -o plan.xlsx)", folder_.path(), bin));
  EXPECT_EQ(full.status, 3) << full.output;
  EXPECT_EQ(text_of("plan.xlsx"), before);
  EXPECT_EQ(analyze("plan plan.yaml -o plan.ods").status, 2);
  const auto rows = text_of("sweep/results.csv");
  EXPECT_TRUE(has(analyze("plan plan.yaml -o sweep/results.xlsx").output, "results.csv"));
  EXPECT_EQ(text_of("sweep/results.csv"), rows);
  EXPECT_EQ(analyze("plan nothing.yaml").status, 2);
  EXPECT_EQ(analyze("plan plan.yaml --fit plan.yaml").status, 2);
  EXPECT_TRUE(has(plan("bad", {{"[llama-440m", "[gpt-5"}}), "bad.yaml:4: "));
}

}  // namespace
}  // namespace ringmark

// The spreadsheet of ringmark-analyze plan, opened by another program.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "results/files/result_file.hpp"
#include "tests/programs/analyze_fixture.hpp"
#include "tests/programs/office.hpp"

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
deadline_days: 10
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
    recalculate(folder_, name + ".xlsx", -1);
    std::map<std::string, Cells> sheets;
    for (const std::string sheet : {"Answer", "Assumptions", "Sensitivity", "Results", "Best", "Variants"}) {
      sheets[sheet] = parse_csv(text_of(name + "-" + sheet + ".csv"));
      EXPECT_FALSE(sheets[sheet].empty()) << sheet;
      for (const auto& row : sheets[sheet]) {
        for (const auto& cell : row)
          EXPECT_FALSE(cell.starts_with("#") || cell.starts_with("Err:")) << sheet << ": " << cell;
      }
    }
    return sheets;
  }

  /// The sheet has the simulated rows, in the plan's order, and a line of units.
  static void expect_equal(const Cells& sheet, const Cells& plan) {
    const auto column = [](const Cells& cells, const std::string& name) {
      const auto found = std::find(cells[0].begin(), cells[0].end(), name);
      EXPECT_NE(found, cells[0].end()) << name;
      return static_cast<std::size_t>(found - cells[0].begin());
    };
    std::vector<std::size_t> simulated;
    for (std::size_t row = 1; row < plan.size(); ++row) {
      if (!plan[row][column(plan, "step_s")].empty()) simulated.push_back(row);
    }
    ASSERT_EQ(sheet.size(), simulated.size() + 2);
    int numbers = 0;
    for (const char* name : {"nodes", "stage", "memory_GB", "step_s", "tokens_per_s", "mfu", "scaling_factor",
                             "goodput", "days", "cost", "cost_per_Btok", "energy_MWh"}) {
      const auto theirs = column(sheet, name), ours = column(plan, name);
      for (std::size_t i = 0; i < simulated.size(); ++i) {
        const auto &there = sheet[i + 2][theirs], &here = plan[simulated[i]][ours];
        if (there == here) continue;
        EXPECT_NEAR(std::stod(there) / std::stod(here), 1, 1e-6) << name << " of row " << simulated[i];
        ++numbers;
      }
    }
    EXPECT_GT(numbers, 50);
  }
};

TEST_F(Spreadsheet, every_formula_gives_the_plan) {
  if (const auto reason = why_no_office(); !reason.empty()) GTEST_SKIP() << reason;
  ASSERT_TRUE(has(plan("plan", {}), "wrote plan.xlsx and plan.csv"));
  const auto sheets = recalculated("plan");
  expect_equal(sheets.at("Results"), parse_csv(text_of("plan.csv")));
  const auto &answer = sheets.at("Answer"), &moves = sheets.at("Sensitivity");
  const auto by_price = std::find_if(
      moves.begin(), moves.end(), [](const auto& line) { return line.size() > 6 && line[1] == "price per GPU-hour"; });
  ASSERT_NE(by_price, moves.end());
  const auto answered =
      std::find_if(answer.begin(), answer.end(), [](const auto& line) { return line[0].starts_with("The answer"); });
  ASSERT_NE(answered, answer.end());
  EXPECT_NEAR(std::stod(by_price->at(2)) / std::stod(answered->at(8)), 0.8, 1e-6);
  for (std::size_t line = 7; line < moves.size() && moves[line].size() > 5 && !moves[line][3].empty(); ++line) {
    const auto weight = [&](std::size_t of) { return std::abs(std::stod(moves[of][3]) - std::stod(moves[of][2])); };
    EXPECT_LE(weight(line), weight(line - 1) * 1.000001) << "the heaviest first";
  }
}

TEST_F(Spreadsheet, has_no_costs_without_prices) {
  if (const auto reason = why_no_office(); !reason.empty()) GTEST_SKIP() << reason;
  plan("free", {{" price_per_GPU_hour: 2.125,", ""}, {" price_per_GPU_hour: 1,", ""}});
  for (const auto& [name, sheet] : recalculated("free")) {
    if (name == "Variants") continue;
    for (const auto& row : sheet) {
      for (const auto& cell : row) {
        EXPECT_FALSE(cell.starts_with("cost (") || cell.starts_with("price per") || has(cell, "USD"))
            << name << ": " << cell;
      }
    }
  }
}

TEST_F(Spreadsheet, has_formulas_of_a_length_that_Excel_takes_however_many_clusters) {
  std::string more = "clusters:\n";
  for (int i = 0; i < 20; ++i)
    more += fmt::format(
        "  - {{name: the offer of provider number {0}, peak_TFLOPS: 312, gpus_per_node: 8, price_per_GPU_hour: 2.{0},\n"
        "     reserved: {{nodes: {0}, price_per_GPU_hour: 1.{0}}}, spare_nodes: {0}, node_mtbf_hours: 1{0},\n"
        "     checkpoint_write_s: {0}, restart_s: 1{0},\n"
        "     intra: {{alpha_us: 5, GBps: 200}}, network: {{alpha_us: 10, GBps: 100}}}}\n",
        i + 10);
  std::ofstream(folder_.file("many.yaml")) << "tokens: 1e9\nmodels: [llama-440m]\nstages: [1]\nmicro_batch: [1]\n"
                                              "accumulation: [1]\nnodes: [1, 2]\ndeadline_days: 10\nbudget: 1e6\n"
                                           << more;
  const auto planned = analyze("plan many.yaml -o many.xlsx");
  EXPECT_EQ(planned.status, 0) << planned.output;
}

TEST_F(Spreadsheet, replaces_a_plan_of_an_older_version_and_nothing_else) {
  plan("plan", {});
  const auto now = text_of("plan.csv");
  std::ofstream(folder_.file("plan.csv"))
      << "model,cluster,stage,recompute,micro_batch,gradient_s\nllama-8b,A,1,0,1,2\n";
  EXPECT_EQ(analyze("plan plan.yaml -o plan.xlsx").status, 0);
  EXPECT_EQ(text_of("plan.csv"), now);
  const std::string other = "model,cluster,price\nx,y,1\n";
  std::ofstream(folder_.file("plan.csv")) << other;
  EXPECT_EQ(analyze("plan plan.yaml -o plan.xlsx").status, 2);
  EXPECT_EQ(text_of("plan.csv"), other);
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

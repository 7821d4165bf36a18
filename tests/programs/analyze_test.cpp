// ringmark-analyze as a user runs it, over the results of a sweep that never ran; its page in a real browser.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/replay_columns.hpp"
#include "tests/analysis/tables.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

class Analyze : public testing::Test {
 protected:
  /// A folder with results.csv and samples.jsonl, and links.csv beside it: tcp is twice as fast as mpi, host 2 has half
  /// the rate.
  Analyze() {
    std::filesystem::create_directory(folder_.file("sweep"));
    std::ofstream rows(folder_.file("sweep/results.csv")), samples(folder_.file("sweep/samples.jsonl")),
        links(folder_.file("links.csv"));
    rows << write_csv(record_header());
    for (int launch = 0; launch < 6; ++launch) {
      const auto run = "s." + std::to_string(launch);
      samples << nlohmann::json{{"schema", "samples/1"}, {"context", {{"run_id", run}, {"hosts", {"a", "b"}}}}} << "\n";
      for (const std::string transport : {"tcp", "mpi"}) {
        for (const int ranks : {2, 4}) {
          for (std::uint64_t size = 1024; size <= 1 << 20; size *= 4) {
            const double n = ranks, noise = 1 + 0.002 * ((launch * 7 + ranks) % 5);
            const double time = (2 * (n - 1) * 20 + 2 * (n - 1) / n * static_cast<double>(size) / 100) * noise;
            auto row = measured(run + transport, transport == "tcp" ? time : 2 * time, size, ranks);
            row.time_utc = "2026-01-02T03:04:05Z";
            row.transport = transport;
            rows << write_csv(to_csv(row));
          }
        }
      }
      samples << R"({"run_id":")" << run
              << R"(","timing":"each","clock_error_us":1,"time_us":[[5000],[5000]],"entry_us":[[0],[1]]})"
              << "\n";
    }
    links << write_csv(record_header({"src", "dst"}));
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from == to) continue;
        auto row = measured("links", 1000);
        row.schema = "link/1";
        row.collective = "bandwidth";
        row.algbw_GBps = (from == 2 || to == 2 ? 0.06 : 0.12) + 0.0001 * (4 * from + to);
        row.busbw_GBps.reset();
        row.extra = {{"src", std::to_string(from)}, {"dst", std::to_string(to)}};
        links << write_csv(to_csv(row, {"src", "dst"}));
      }
    }
  }

  /// Run in the folder of the results.
  ShellResult analyze(const std::string& words) const {
    return run(fmt::format("cd {} && {}/ringmark-analyze {}", folder_.path(), bin, words));
  }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }

  ResultFolder folder_;
};

TEST_F(Analyze, every_subcommand_answers_without_an_option) {
  const auto compared = analyze("compare sweep links.csv");
  EXPECT_EQ(compared.status, 0) << compared.output;
  EXPECT_TRUE(has(compared.output, "by transport, against mpi")) << compared.output;
  EXPECT_TRUE(has(compared.output, "12 comparisons: 12 faster")) << compared.output;
  const auto fitted = analyze("fit sweep links.csv -o fit.json");
  EXPECT_EQ(fitted.status, 0) << fitted.output;
  EXPECT_TRUE(has(fitted.output, "point to point")) << fitted.output;
  EXPECT_EQ(nlohmann::json::parse(text_of("fit.json"))["models"].size(), 2U);
  const auto ported = analyze("portability sweep");
  EXPECT_EQ(ported.status, 0) << ported.output;
  EXPECT_TRUE(has(ported.output, "transport=mpi  0.500          0.500")) << ported.output;
  const auto straggling = analyze("stragglers sweep links.csv");
  EXPECT_EQ(straggling.status, 0) << straggling.output;
  EXPECT_TRUE(has(straggling.output, "rank 2")) << straggling.output;
  const auto recommended = analyze("recommend sweep -o ready");
  EXPECT_EQ(recommended.status, 0) << recommended.output;
  EXPECT_TRUE(has(text_of("ready/best.env"), "export RINGMARK_ARGUMENTS=--transport=tcp")) << recommended.output;
  const auto reported = analyze("report sweep links.csv");
  EXPECT_EQ(reported.status, 0) << reported.output;
  EXPECT_TRUE(has(text_of("report.html"), "tcp is the fastest transport at the largest size")) << reported.output;
}

TEST_F(Analyze, what_a_sweep_left_unset_is_the_default) {
  std::ofstream(folder_.file("s.yaml")) << R"(question: Do small buffers hurt?
program: all-reduce
launcher: local
ranks: 2
arguments: {sizes: 4K, iters: 10, in-place: "no"}
variables: {tcp.slice: [unset, 4K], tcp.sockets: [unset, 2]}
repetitions: 4
)";
  const auto swept = run(fmt::format("cd {} && {}/ringmark-sweep run s.yaml -o real", folder_.path(), bin), 120);
  ASSERT_EQ(swept.status, 0) << swept.output;
  // The sweep's own rows with times of ours: what is found must not rest on the machine.
  const std::vector<std::string> variables = {"tcp.slice", "tcp.sockets"};
  auto rows = folder_.records("real/results.csv");
  ASSERT_EQ(rows.size(), 16U);
  std::ofstream csv(folder_.file("real/results.csv"));
  csv << write_csv(record_header(variables));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool small = rows[i].extra.at("tcp.slice") == "4K", several = rows[i].extra.at("tcp.sockets") == "2";
    rows[i].time_us_p50 = 1000 * (small ? 4 : 1) * (several ? 1.5 : 1) + static_cast<double>(i);
    csv << write_csv(to_csv(rows[i], variables));
  }
  csv.close();
  const auto compared = analyze("compare real --by tcp.slice");
  EXPECT_EQ(compared.status, 0) << compared.output;
  EXPECT_TRUE(has(compared.output, "by tcp.slice, against (unset)")) << compared.output;
  const auto recommended = analyze("recommend real");
  EXPECT_EQ(recommended.status, 0) << recommended.output;
  EXPECT_TRUE(has(recommended.output, "everything unset")) << recommended.output;
  const auto others = analyze("recommend real --baseline 'tcp.slice=4K tcp.sockets=2'");
  EXPECT_EQ(others.status, 0) << others.output;
  EXPECT_TRUE(has(others.output, "set everything unset")) << others.output;
  EXPECT_EQ(analyze("report real").status, 0);
}

TEST_F(Analyze, what_it_recommends_of_training_steps_can_be_run) {
  {
    std::ofstream steps(folder_.file("steps.csv"));
    steps << write_csv(record_header(replay_columns()));
    for (int launch = 0; launch < 6; ++launch) {
      for (const std::string zero : {"1", "3"}) {
        auto row = measured("s" + zero + std::to_string(launch), (zero == "1" ? 10'000 : 20'000) + launch, 1 << 20, 2);
        row.schema = "replay/1";
        row.collective = "training_step";
        row.extra = {{"zero_stage", zero}, {"framework", "deepspeed-0.16.4"}};
        steps << write_csv(to_csv(row, replay_columns()));
      }
    }
  }
  const auto recommended = analyze("recommend steps.csv --baseline zero_stage=3 -o ready");
  ASSERT_EQ(recommended.status, 0) << recommended.output;
  const auto changes = nlohmann::json::parse(text_of("ready/ds_config.changes.json"), nullptr, true, true);
  EXPECT_EQ(changes["zero_optimization"]["stage"], 1) << recommended.output;
  const auto played =
      run(fmt::format("cd {} && . ready/best.env && {}/ringmark-replay run --ranks 2 --model "
                      "{}/tests/bench/replay/files/llama4.model.json"
                      " --forward-ms 1 --backward-ms 2 --grad-accum 2 -n 3 --csv played.csv $RINGMARK_ARGUMENTS",
                      folder_.path(), bin, RINGMARK_SOURCE_DIR));
  ASSERT_EQ(played.status, 0) << played.output;
  EXPECT_EQ(folder_.records("played.csv").at(0).extra.at("zero_stage"), "1");
}

TEST_F(Analyze, a_gate_for_ci_fails_when_something_is_shown_slower) {
  EXPECT_EQ(analyze("compare sweep --baseline tcp --fail-if-slower 5%").status, 1);
  EXPECT_EQ(analyze("compare sweep --baseline tcp --fail-if-slower 150").status, 0);
  EXPECT_EQ(analyze("compare sweep --baseline mpi --fail-if-slower 5%").status, 0);
  // A gate that compares nothing must not let anything pass.
  EXPECT_EQ(analyze("compare links.csv --fail-if-slower 5%").status, 2);
  ASSERT_EQ(run(fmt::format("cd {} && (head -1 sweep/results.csv; grep tcp sweep/results.csv | head -1) >one.csv",
                            folder_.path()))
                .status,
            0);
  const auto untold = analyze("compare one.csv sweep/results.csv --by file --fail-if-slower 5%");
  EXPECT_EQ(untold.status, 2) << untold.output;
  EXPECT_TRUE(has(untold.output, "cannot tell")) << untold.output;
}

TEST_F(Analyze, wrong_words_and_files_are_named_and_nothing_is_written) {
  for (const auto& [words, expected] : std::vector<std::pair<std::string, std::string>>{
           {"compare nothing.csv", "nothing.csv: cannot be read"},
           {"compare .", "there is no results.csv in this folder"},
           {"compare sweep/samples.jsonl", "these are samples"},
           {"compare sweep --by colour", "--by colour: there is no such column; there are transport"},
           {"compare sweep --baseline nccl", "it is mpi, tcp"},
           {"compare sweep --fail-if-slower much", "give a percentage"},
           {"fit sweep --link-GBps -1", "link-GBps"},
           {"report sweep --by colour -o page.html", "there is no such column"},
           {"stragglers sweep --samples links.csv", "links.csv:1: not a line of samples/1"},
           {"portability --reference links.csv", "a column configuration"},
           {"report", "results is required"},
           {"", "A subcommand is required"}}) {
    const auto result = analyze(words);
    EXPECT_EQ(result.status, 2) << words << "\n" << result.output;
    EXPECT_TRUE(has(result.output, expected)) << words << "\n" << result.output;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("page.html")));
}

TEST_F(Analyze, a_full_disk_is_told_and_what_was_there_stays) {
  EXPECT_EQ(analyze("report sweep -o /dev/full").status, 3);
  std::ofstream(folder_.file("report.html")) << "the old one";
  const auto result =
      run(fmt::format("cd {} && (ulimit -f 10; trap '' XFSZ; {}/ringmark-analyze report sweep)", folder_.path(), bin));
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_EQ(text_of("report.html"), "the old one");
  EXPECT_EQ(analyze("report sweep").status, 0);
  EXPECT_TRUE(has(text_of("report.html"), "<!DOCTYPE html>"));
}

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
     intra: {alpha_us: 5, GBps: 200.5}, network: {alpha_us: 10.5, GBps: 100.5}}
  - {name: slow, peak_TFLOPS: 312, intra: {alpha_us: 5, GBps: 20}, network: {alpha_us: 100, GBps: 1.25}}
)";

using Cells = std::vector<std::vector<std::string>>;

class Spreadsheet : public Analyze {
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
    for (const std::string sheet : {"Assumptions", "Results", "Best", "Sources"}) {
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
      return std::lexicographical_compare(a.begin(), a.begin() + 6, b.begin(), b.begin() + 6);
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
  // What a planner types into yellow cells, against a plan that began with it.
  const std::vector<std::pair<std::string, std::string>> changes{
      {"2.125", "3.25"}, {"0.4375", "0.5"}, {"100.5", "33.5"}, {"80.5", "40"}, {"10.5", "1000"},
  };
  auto edit = fmt::format("cd {} && mkdir x && cd x && unzip -q ../plan.xlsx && sed -i", folder_.path());
  for (const auto& [from, to] : changes) edit += fmt::format(" -e 's|<v>{}</v>|<v>{}</v>|'", from, to);
  edit += R"( -e 's|\(<c r="B13"[^>]*><v>\)1<|\164<|')";  // the first number of nodes, which then is the largest
  ASSERT_EQ(run(edit + " xl/worksheets/sheet1.xml && zip -qr ../changed.xlsx .").status, 0);
  auto with_nodes = changes;
  with_nodes.emplace_back("nodes: [1,", "nodes: [64,");
  plan("expected", with_nodes);
  expect_equal(recalculated("changed")["Results"], parse_csv(text_of("expected.csv")));
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
                      "xl/worksheets/sheet1.xml && zip -qr ../changed.xlsx .",
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

TEST_F(Spreadsheet, a_full_disk_leaves_the_old_one_and_bad_words_are_named) {
  plan("plan", {});
  const auto before = text_of("plan.xlsx");
  const auto full = run(fmt::format(
      "cd {} && (ulimit -f 10; trap '' XFSZ; {}/ringmark-analyze plan plan.yaml -o plan.xlsx)", folder_.path(), bin));
  EXPECT_EQ(full.status, 3) << full.output;
  EXPECT_EQ(text_of("plan.xlsx"), before);
  EXPECT_EQ(analyze("plan plan.yaml -o plan.ods").status, 2);
  const auto rows = text_of("sweep/results.csv");
  EXPECT_TRUE(has(analyze("plan plan.yaml -o sweep/results.xlsx").output, "is there and no plan"));
  EXPECT_EQ(text_of("sweep/results.csv"), rows);
  EXPECT_EQ(analyze("plan nothing.yaml").status, 2);
  EXPECT_EQ(analyze("plan plan.yaml --fit plan.yaml").status, 2);
  EXPECT_TRUE(has(plan("bad", {{"[llama-440m", "[gpt-5"}}), "bad.yaml:4: there is no model gpt-5"));
}

// The page is opened as a file; what a reader would do is done by a script that is added to a copy of it.
TEST_F(Analyze, the_page_works_in_a_browser) {
  const std::string chromium =
      "chromium --headless --no-sandbox --disable-gpu --user-data-dir=" + folder_.file("profile");
  if (run("command -v chromium").status != 0) GTEST_SKIP() << "there is no chromium";
  ASSERT_EQ(analyze("report sweep links.csv").status, 0);
  auto page = text_of("report.html");
  const auto insert_before = [&](const std::string& mark, const std::string& text, std::size_t at) {
    ASSERT_NE(at, std::string::npos) << mark;
    page.insert(at, text);
  };
  insert_before("<title>", R"(<script>
    window.problems = [];
    window.addEventListener("error", (event) => problems.push(event.message));
    for (const name of ["error", "warn"]) console[name] = (...words) => problems.push(words.join(" "));
  </script>)",
                page.find("<title>"));
  insert_before("</body>", R"(<script>
    const found = [];
    const check = (what, is) => found.push(what + ": " + (is ? "yes" : "NO"));
    const charts = () => [...document.querySelectorAll("#sizes canvas")].map((canvas) => Chart.getChart(canvas));
    check("charts drawn", charts().length === 3);
    const before = charts()[0].getVisibleDatasetCount();
    document.querySelector("#sizes input[type=checkbox]").click();
    check("a series goes off", charts()[0].getVisibleDatasetCount() === before - 3);
    document.querySelector("#sizes input[type=checkbox]").click();
    check("and on again", charts()[0].getVisibleDatasetCount() === before);
    const firsts = (column) => [...document.querySelectorAll(`#comparison tbody td:nth-child(${column})`)].map((cell) => cell.textContent);
    const heads = [...document.querySelectorAll("#comparison thead button")];
    const size = heads.findIndex((head) => head.textContent === "size");
    heads[size].click();
    check("a table is sorted", firsts(size + 1).slice(0, 2).join() === "1K,1K");
    heads[size].click();
    check("and the other way", firsts(size + 1).slice(0, 2).join() === "1M,1M");
    check("the sort is told to readers", document.querySelector("#comparison th[aria-sort=descending]") !== null);
    document.getElementById("thing").value = "1";
    document.getElementById("thing").dispatchEvent(new Event("change"));
    check("another thing is shown", document.querySelector("#sizes figcaption").textContent.includes("4 ranks"));
    document.getElementById("theme").click();
    check("dark", document.documentElement.dataset.theme === "dark");
    check("a heat map", document.querySelectorAll("#links td[style]").length === 12);
    check("a straggler", document.getElementById("stragglers").textContent.includes("rank 2"));
    check("no problem", problems.length === 0);
    document.title = found.join("; ") + "; " + problems.join("; ");
  </script>)",
                page.rfind("</body>"));
  std::ofstream(folder_.file("tried.html")) << page;
  const auto dom = run(chromium + " --virtual-time-budget=5000 --dump-dom file://" + folder_.file("tried.html") +
                       " 2>/dev/null | grep -o '<title>[^<]*</title>'");
  EXPECT_TRUE(has(dom.output, "no problem: yes")) << dom.output;
  EXPECT_FALSE(has(dom.output, "NO")) << dom.output;
}

}  // namespace
}  // namespace ringmark

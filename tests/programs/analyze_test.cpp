// ringmark-analyze as a user runs it; its page in a real browser.
#include "results/schema/columns.hpp"
#include "tests/programs/analyze_fixture.hpp"
#include "tests/programs/browser.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

using Analyze = AnalyzeFixture;

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
  EXPECT_TRUE(has(text_of("report.html"), "tcp is the fastest transport")) << reported.output;
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
    auto row = measured(rows[i].run_id, 1000 * (small ? 4 : 1) * (several ? 1.5 : 1) + static_cast<double>(i),
                        rows[i].size_bytes, rows[i].ranks);
    row.time_us_ci_low = row.time_us_ci_high = row.time_us_p50;
    row.nodes = rows[i].nodes;
    row.repetition = rows[i].repetition;
    row.launch = rows[i].launch;
    row.settings = rows[i].settings;
    row.extra = rows[i].extra;
    csv << write_csv(to_csv(row, variables));
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
    steps << write_csv(record_header(own_header(Schema::replay)));
    for (int launch = 0; launch < 6; ++launch) {
      for (const int zero : {1, 3}) {
        auto row = measured(fmt::format("s{}{}", zero, launch), (zero == 1 ? 10'000 : 20'000) + launch, 1 << 20, 2);
        row.schema = Schema::replay;
        row.collective = TrainingStep{};
        row.step = StepResult{.framework = "deepspeed-0.16.4", .zero_stage = zero};
        steps << write_csv(to_csv(row, own_header(Schema::replay)));
      }
    }
  }
  const auto recommended = analyze("recommend steps.csv --baseline zero_stage=3 -o ready");
  ASSERT_EQ(recommended.status, 0) << recommended.output;
  const auto changes = nlohmann::json::parse(text_of("ready/ds_config.changes.json"), nullptr, true, true);
  EXPECT_EQ(changes["zero_optimization"]["stage"], 1) << recommended.output;
  const auto played =
      run(fmt::format("cd {} && . ready/best.env && {}/ringmark-replay run --ranks 2 --model "
                      "{}/tests/replay/files/llama4.model.json"
                      " --forward-ms 1 --backward-ms 2 --grad-accum 2 -n 3 --csv played.csv $RINGMARK_ARGUMENTS",
                      folder_.path(), bin, RINGMARK_SOURCE_DIR));
  ASSERT_EQ(played.status, 0) << played.output;
  EXPECT_EQ(folder_.records("played.csv").at(0).step.value().zero_stage, 1);
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
  EXPECT_EQ(untold.status, 5) << untold.output;
  EXPECT_TRUE(has(untold.output, "cannot tell") && has(untold.output, "undecided: ")) << untold.output;
}

TEST_F(Analyze, where_keeps_the_rows_that_are_asked_about) {
  const auto compared = analyze("compare sweep --where ranks=4 --where size_bytes=4K..64K");
  EXPECT_EQ(compared.status, 0) << compared.output;
  EXPECT_TRUE(has(compared.output, "3 comparisons: 3 faster")) << compared.output;
  const auto reported = analyze("report sweep --where transport=tcp");
  EXPECT_EQ(reported.status, 0) << reported.output;
  EXPECT_TRUE(has(text_of("report.html"), "only rows with transport=tcp"));
  EXPECT_FALSE(has(text_of("report.html"), "is the fastest transport"));
  // Samples are those of launches that are left.
  const auto straggling = analyze("stragglers sweep --where run_id=s.0tcp,s.1tcp");
  EXPECT_TRUE(has(straggling.output, "2 operations") && has(straggling.output, "cannot show a slow link"))
      << straggling.output;
  const auto fitted = analyze("fit sweep --where size_bytes=..64K --against sweep -o fit.json");
  EXPECT_EQ(fitted.status, 0) << fitted.output;
  const auto recommended = analyze("recommend sweep --where ranks=4 -o ready");
  EXPECT_EQ(recommended.status, 0) << recommended.output;
  EXPECT_TRUE(has(text_of("ready/best.env"), "(only rows with ranks=4)")) << recommended.output;
  {
    Record failed{.run_id = "s.6", .transport = Transport::tcp, .ranks = 4, .status = Status::failed};
    failed.collective = Collective::all_reduce;
    std::ofstream(folder_.file("failed.csv")) << write_csv(record_header()) << write_csv(to_csv(failed));
  }
  const auto without = analyze("compare sweep failed.csv --where run_id=" + std::string("s.0tcp,s.0mpi,s.1tcp,s.1mpi"));
  EXPECT_TRUE(has(without.output, "1 row of failed launches")) << without.output;
}

TEST_F(Analyze, wrong_words_and_files_are_named_and_nothing_is_written) {
  std::filesystem::create_directory(folder_.file("empty"));
  for (const auto& [words, expected] : std::vector<std::pair<std::string, std::string>>{
           {"compare nothing.csv", "no such file"},
           {"compare .", "nothing to compare"},
           {"compare empty", "the folder has neither a results.csv"},
           {"compare sweep/samples.jsonl", "these are samples"},
           {"compare sweep --where transport=tpc", "transport 'tpc'; available: tcp, mpi"},
           {"portability --reference links.csv --where ranks=4", "--where ranks=4: has no effect with --reference"},
           {"compare sweep --by colour", "--by colour: no such column"},
           {"compare sweep --baseline nccl", "available: mpi, tcp"},
           {"compare sweep --fail-if-slower much", "give a percentage"},
           {"compare sweep --fail-if-slower 0.05", "give a percentage"},
           {"compare sweep --csv sweep/results.csv", "contains results"},
           {"fit sweep --link-GBps -1", "link-GBps"},
           {"report sweep --by colour -o page.html", "no such column"},
           {"stragglers sweep --samples links.csv", "links.csv:1: expected a JSON object"},
           {"portability --reference links.csv", "a column 'configuration'"},
           {"plan plan.yaml -o plan.csv", ".xlsx"},
           {"compare sweep --bye ranks", "--by?"},
           {"report", "results: is missing"},
           {"compair sweep", "subcommand 'compair'"},
           {"", "the subcommand is missing; give one of compare, fit"}}) {
    const auto result = analyze(words);
    EXPECT_EQ(result.status, 2) << words << "\n" << result.output;
    EXPECT_TRUE(has(result.output, expected)) << words << "\n" << result.output;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("page.html")));
}

TEST_F(Analyze, all_wrong_flags_are_told_at_once) {
  const auto result =
      analyze("compare nothing.csv --ranks 0 --fail-if-slower much --where a=b --csv c.csv --csv d.csv");
  EXPECT_EQ(result.status, 2);
  for (const char* expected : {"--ranks 0", "--fail-if-slower much", "--csv d.csv"})
    EXPECT_TRUE(has(result.output, expected)) << result.output;
  EXPECT_FALSE(has(result.output, "--where") || has(result.output, "no such file")) << result.output;
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

TEST_F(Analyze, the_page_works_in_a_browser) {
  if (const auto reason = why_no_browser(); !reason.empty()) GTEST_SKIP() << reason;
  ASSERT_EQ(analyze("report sweep links.csv").status, 0);
  const auto outcome = tried_in_browser(text_of("report.html"), R"js(
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
    document.getElementById("case").value = "1";
    document.getElementById("case").dispatchEvent(new Event("change"));
    check("another case is shown", document.querySelector("#sizes figcaption").textContent.includes("4 ranks"));
    document.getElementById("theme").click();
    check("dark", document.documentElement.dataset.theme === "dark");
    const links = [...document.querySelectorAll("#links svg.heat text")].map((each) => each.textContent);
    check("a value in each cell of the heat map", links.filter((text) => /^[0-9.]+$/.test(text)).length === 12);
    check("its axes", links.filter((text) => text === "sender ↓" || text === "receiver →").length === 2);
    check("a name at each row and column", links.filter((text) => /rank/.test(text)).length === 8);
    check("the slow host is marked", document.querySelectorAll("#links svg.heat .named").length === 2);
    check("a legend with the unit", document.querySelector("#links .key").textContent.includes("GB/s"));
    check("hosts and dates at the head", document.querySelectorAll("#facts dt").length >= 3);
    check("a straggler", document.getElementById("stragglers").textContent.includes("rank 2"));
  )js",
                                        folder_);
  EXPECT_TRUE(has(outcome, "no problem: yes")) << outcome;
  EXPECT_FALSE(has(outcome, "NO")) << outcome;
}

}  // namespace
}  // namespace ringmark

// Every program over a full disk: none may say that all is well.
#include <gtest/gtest.h>

#include "tests/programs/analyze_fixture.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

TEST_F(AnalyzeFixture, output_that_is_lost_is_a_failure_of_every_program) {
  const auto results = folder_.file("sweep"), trace = folder_.file("step.jsonl");
  std::ofstream(folder_.file("s.yaml")) << "question: Why?\nprogram: all-reduce\nlauncher: local\narguments: {sizes: "
                                           "[8], iters: 1}\nranks: 2\n";
  ASSERT_EQ(run(bin +
                "/ringmark-replay generate --model opt-125m --framework pytorch-ddp --ranks 2 --grad-accum 1 --dtype "
                "fp32 -o " +
                trace)
                .status,
            0);
  ASSERT_EQ(run(bin + "/ringmark-sweep run " + folder_.file("s.yaml") + " -o " + folder_.file("done")).status, 0);
  const std::string all_words[]{
      "ringmark-analyze compare " + results + " --by transport",
      "ringmark-analyze fit " + results + " -o " + folder_.file("fit.json"),
      "ringmark-analyze recommend " + results,
      "ringmark-analyze stragglers " + results,
      "ringmark-analyze report " + results + " -o " + folder_.file("report.html"),
      "ringmark-analyze --help",
      "ringmark-doctor --json - --all",
      "ringmark-doctor",
      "ringmark-sweep list " RINGMARK_SOURCE_DIR "/sweeps",
      "ringmark-sweep run --dry-run " + folder_.file("s.yaml"),
      "ringmark-sweep resume " + folder_.file("done"),
      "ringmark-sweep --version",
      "ringmark-all-reduce --list",
      "ringmark-all-reduce --explain --ranks 4",
      "ringmark-all-reduce --list-options",
      "ringmark-all-reduce --list-parameters",
      "ringmark-all-reduce --help",
      "ringmark-all-reduce --ranks 2 --sizes 8 --iters 1 --warmup 0",
      "ringmark-link --ranks 2 --test latency --sizes 8 --iters 1",
      "ringmark-lab --help",
      "ringmark-replay show " + trace,
      "ringmark-replay predict " + trace + " --ranks 2 --alpha-us 10 --bandwidth-GBps 1 --forward-ms 1 --backward-ms 2",
  };
  for (const auto& words : all_words) {
    const auto whole = run(bin + "/" + words);
    EXPECT_LE(whole.status, 1) << words << whole.output;
    const auto lost = run(bin + "/" + words + " >/dev/full");
    EXPECT_EQ(lost.status, 3) << words << lost.output;
    EXPECT_TRUE(has(lost.output, "No space left") || has(lost.output, "disk full?")) << words << lost.output;
  }
}

TEST_F(AnalyzeFixture, a_lost_file_of_rank_0_ends_all_ranks_at_once) {
  for (const std::string flag : {"--csv", "--samples"}) {
    for (const std::string program : {"all-reduce", "link"}) {
      if (program == "link" && flag == "--samples") continue;
      // A rank that waits for rank 0 until the timeout passes the limit of the test.
      const auto result =
          run(bin + "/ringmark-" + program + " --ranks 3 --sizes 8 -n 2 --timeout 3000 " + flag + " /dev/full", 60);
      EXPECT_EQ(result.status, 3) << program << flag << result.output;
      EXPECT_TRUE(has(result.output, "No space left")) << program << flag << result.output;
    }
  }
}

/// Text from a command line or a file must not reach the terminal as it is.
TEST_F(AnalyzeFixture, controls_reach_no_terminal) {
  const auto sweep = folder_.file("s.yaml"), description = folder_.file("model.yaml");
  std::ofstream(sweep) << "question: \"Why\\e]0;x\\a\\r?\"\nprogram: all-reduce\nlauncher: local\nranks: 2\n"
                          "environment: {A: \"\\e[2J\"}\narguments: {sizes: [8], iters: 1}\n";
  const std::string hostile = R"($'\e]0;x\a\r\e[2Jb')", words = " " + hostile + " -o " + hostile;
  for (const auto& line :
       {"ringmark-doctor --root " + hostile, "ringmark-analyze " + hostile, "ringmark-analyze compare " + hostile,
        "ringmark-accept" + words, "ringmark-replay " + hostile, "ringmark-replay predict" + words,
        "ringmark-sweep run" + words, "ringmark-sweep resume " + hostile, "ringmark-all-reduce --ranks " + hostile,
        "ringmark-lab run --hosts " + hostile, "ringmark-sweep run --dry-run " + sweep,
        "ringmark-sweep emit " + sweep + " --for sbatch -o " + folder_.file("r"),
        "ringmark-sweep emit " + sweep + " --for job -o /results/r", "ringmark-sweep list " + folder_.path(),
        "ringmark-sweep run " + sweep + " -o " + folder_.file("done")}) {
    const auto result = run(bin + "/" + line);
    EXPECT_LE(result.status, 2) << line << result.output;
    EXPECT_FALSE(result.output.empty()) << line;
    EXPECT_EQ(result.output.find_first_of("\x1b\a\r"), std::string::npos) << line << result.output;
  }
}

}  // namespace
}  // namespace ringmark

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

}  // namespace
}  // namespace ringmark

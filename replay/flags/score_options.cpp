#include "replay/flags/score_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/flags/run_options.hpp"
#include "replay/step/device.hpp"

namespace ringmark::replay {
namespace {

constexpr auto table_meaning = "a CSV file of measured steps: the columns are in docs/reference/step-tables.md";

}  // namespace

void declare(Flags& flags, ScoreOptions& options) {
  flags.file("table", options.table, table_meaning).required();
  flags.file("--device", options.device,
             fmt::format("the device for all steps, instead of each step's own: {}, or a file written by calibrate",
                         fmt::join(shipped_devices(), ", ")));
  flags.group(heading::output);
  flags.file("--json", options.json, "also write a row for each step, schema score/1");
  flags.examples({"ringmark-replay score steps.csv", "ringmark-replay score steps.csv --device device.yaml"});
}

void declare(Flags& flags, CalibrateOptions& options) {
  flags.file("steps", options.table, table_meaning).required();
  flags.file("--device", options.device, "the device to start from; by default the steps' own");
  flags.group(heading::output);
  flags
      .file("-o,--output", options.output,
            "write the fitted device to this file, for --device of predict, run and plan")
      .required();
  flags.examples({"ringmark-replay calibrate steps.csv -o device.yaml",
                  "ringmark-replay calibrate steps.csv --device h100-pcie -o device.yaml"});
}

}  // namespace ringmark::replay

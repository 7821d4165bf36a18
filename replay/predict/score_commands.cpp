#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/write_file.hpp"
#include "replay/commands.hpp"
#include "replay/predict/calibrate.hpp"
#include "replay/predict/scorecard.hpp"

namespace ringmark::replay {
namespace {

/// The one device of all steps. Throws BadUsage.
Device common_device(const std::vector<PublishedStep>& steps) {
  for (const auto& step : steps) {
    if (step.device != steps.front().device || step.power_watts != steps.front().power_watts)
      throw BadUsage(Problem{.text = fmt::format("the steps are of several devices or limits of power: {} and {}",
                                                 steps.front().id, step.id),
                             .remedy = "give a table for each"});
  }
  if (steps.front().device.empty())
    throw BadUsage(Problem{.flag = steps.front().id, .text = "its GPU does not ship", .remedy = "give --device FILE"});
  auto device = load_device(steps.front().device);
  const auto& watts = steps.front().power_watts;
  return watts ? limited_to(*watts, device, steps.front().id + ": power_watts") : device;
}

}  // namespace

int score_command(const ScoreOptions& options) {
  std::optional<Device> device;
  if (!options.device.empty()) device = load_device(options.device);
  const auto steps = score(read_published_steps(options.table), device);
  fmt::print("{}", print(steps));
  if (!options.json.empty()) write_file(options.json, to_json(steps));
  return exit_ok;
}

int calibrate_command(const CalibrateOptions& options) {
  const auto steps = read_published_steps(options.table);
  const auto base = options.device.empty() ? common_device(steps) : load_device(options.device);
  const auto calibration = calibrate(steps, base);
  write_file(options.output, device_file(calibration, options.table));
  fmt::print("{}wrote {}\n", print(calibration), options.output);
  return exit_ok;
}

}  // namespace ringmark::replay

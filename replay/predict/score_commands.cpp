#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "replay/commands.hpp"
#include "replay/predict/calibrate.hpp"
#include "replay/predict/scorecard.hpp"

namespace ringmark::replay {
namespace {

/// The given device, or the one of all steps. Throws BadUsage if the steps differ in device or power limit.
Device common_device(const std::vector<PublishedStep>& steps, const std::optional<Device>& given) {
  for (const auto& step : steps) {
    const bool is_another = !given && step.device != steps.front().device;
    if (is_another || step.power_watts != steps.front().power_watts)
      throw BadUsage(Problem{
          .text = fmt::format("the steps differ in their device or power limit: {} and {}", steps.front().id, step.id),
          .remedy = "give a separate table for each"});
  }
  return device_for(steps.front(), given);
}

std::optional<Device> given_device(const std::string& name_or_file) {
  if (name_or_file.empty()) return std::nullopt;
  return load_device(name_or_file);
}

}  // namespace

int score_command(const ScoreOptions& options) {
  const auto device = given_device(options.device);
  const auto steps = score(read_published_steps(options.table), device);
  say("{}", print(steps));
  if (!options.json.empty()) write_file(options.json, to_json(steps));
  return exit_ok;
}

int calibrate_command(const CalibrateOptions& options) {
  const auto steps = read_published_steps(options.table);
  const auto base = common_device(steps, given_device(options.device));
  const auto calibration = calibrate(steps, base);
  write_file(options.output, device_file(calibration, options.table));
  say("{}wrote {}\n", print(calibration), options.output);
  return exit_ok;
}

}  // namespace ringmark::replay

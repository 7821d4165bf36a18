// The replayer's input files: the first byte chooses between step traces, models, DeepSpeed's configurations,
// Megatron-LM's arguments and foreign traces; each is used or refused with a message.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/errors.hpp"
#include "replay/generate/ds_config.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/generate/torchtitan/arguments.hpp"
#include "replay/generate/torchtitan/step.hpp"
#include "replay/import/import.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/model_file.hpp"
#include "replay/predict/simulate.hpp"
#include "replay/predict/simulate_roles.hpp"
#include "replay/trace/calls.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "replay/trace/show.hpp"
#include "replay/trace/trace_file.hpp"

namespace {

using namespace ringmark::replay;

void predict(const StepTrace& trace) {
  constexpr int most_ranks = 64;  // kinds of ranks take time by the rank
  if (trace.ranks > most_ranks) return;
  const auto network = make_network(Links{{1, 1}, std::nullopt, 1});
  simulate(trace, {trace.ranks, std::vector<double>(trace.events.size(), 1), {{0, 2}}}, *network);
}

void predict(const RoleTrace& trace) {
  constexpr int most_ranks = 64;
  if (trace.ranks > most_ranks) return;
  std::ostringstream calls;
  write_calls(trace, trace.ranks - 1, calls);
  std::vector<std::vector<double>> durations_us;
  for (const auto& pass : trace.passes) durations_us.emplace_back(pass.events.size(), 1);
  const auto network = make_network(Links{{1, 1}, std::nullopt, 1});
  simulate(trace, {durations_us, 4, 0.3}, *network);
}

void read(std::uint8_t kind, const std::string& text) {
  switch (kind) {
    case 't': {
      std::istringstream in(text);
      const auto trace = read_trace(in, "trace");
      show(trace, true);
      predict(trace);
      break;
    }
    case 'r': {
      std::istringstream in(text);
      const auto trace = read_role_trace(in, "trace");
      show(trace, true);
      predict(trace);
      break;
    }
    case 'a': {
      const auto settings = megatron::read_arguments("arguments", text, 16).settings;
      constexpr std::uint64_t most_layers = 64;
      if (settings.model.layers <= most_layers && settings.micro_batches() <= 64) predict(megatron::generate(settings));
      break;
    }
    case 'o': {
      const auto settings = torchtitan::read_arguments("configuration", text, 16).settings;
      constexpr std::uint64_t most_layers = 64;
      if (settings.model.layers <= most_layers && settings.micro_batches() * settings.accumulation() <= 64)
        predict(torchtitan::generate(settings));
      break;
    }
    case 'm': {
      const auto model = model_from_description("model", text);
      StepSettings settings;
      settings.zero_stage = 3;
      settings.ranks = 4;
      settings.micro_steps = 2;
      generate(model, settings);
      break;
    }
    case 'd':
      ds_config_from_json("ds_config", text, Framework{}, 64, 4);
      break;
    case 'h':
      architecture_from_config("config", text);
      break;
    default:
      import_text("foreign", text);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0], std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  } catch (const ringmark::BadUsage&) {
  }
  return 0;
}

#include "replay/replay_main.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "replay/commands.hpp"
#include "results/provenance.hpp"

namespace ringmark::replay {
namespace {

struct Command {
  std::string_view name;
  int (*run)(int argc, const char* const* argv);
  std::string_view meaning;
};

constexpr std::array commands{
    Command{"generate", generate_command, "write the trace of a step: DDP, ZeRO 1 to 3, ZeRO++, FSDP, Megatron"},
    Command{"show", show_command, "say what a trace consists of"},
    Command{"import", import_command, "make a trace of what PyTorch, Kineto, PARAM or NCCL have recorded"},
    Command{"run", run_command, "replay a step over a network: real collectives, time in the place of computation"},
    Command{"predict", predict_command, "say how long a step takes on a network, at any number of ranks"},
};

std::string usage() {
  std::string text = "Replays training steps: what does this network do to them?\nUsage: ringmark-replay COMMAND …\n\n";
  for (const auto& command : commands) text += fmt::format("  {:<10} {}\n", command.name, command.meaning);
  return text + "\nringmark-replay COMMAND --help says more.\n";
}

}  // namespace

int replay_main(int argc, const char* const* argv) try {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "--help" || word == "-h") return fmt::print("{}", usage()), exit_ok;
  if (word == "--version") return fmt::print("ringmark {}\n", version()), exit_ok;
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const auto& each) { return each.name == word; });
  if (found != commands.end()) {
    const int status = found->run(argc - 1, argv + 1);
    if (std::fflush(stdout) == 0) return status;
    throw std::runtime_error("cannot write to standard output");
  }
  fmt::print(stderr, "ringmark-replay: {}\n\n{}",
             word.empty() ? "give a command" : fmt::format("there is no command '{}'", word), usage());
  return exit_usage;
} catch (const BadUsage& error) {
  fmt::print(stderr, "ringmark-replay: {}\n", error.what());
  return exit_usage;
} catch (const std::exception& error) {
  fmt::print(stderr, "ringmark-replay: {}\n", error.what());
  return exit_failed;
}

}  // namespace ringmark::replay

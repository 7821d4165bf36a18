#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/stragglers.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"

namespace ringmark::analysis {
namespace {

struct StragglersCommand {
  Input input;
  std::vector<std::string> samples;

  int run() const {
    const auto results = input.read();
    const auto links = links_of(results.table, Input::usable(results.table));
    const auto operations = input.samples(samples, results.table);
    if (links.launches.empty() && operations.empty()) {
      throw BadUsage(
          "nothing to look at: give the folder of a sweep, --samples FILE, or the CSV of ringmark-link --pairs all");
    }
    auto found = late_ranks(operations);
    const auto slow = slow_links(links.launches, links.names);
    found.insert(found.end(), slow.begin(), slow.end());
    const auto steps =
        std::count_if(operations.begin(), operations.end(), [](const auto& each) { return each.is_step; });
    fmt::print("looked at the entries of {} operations, {} replays of training steps and {} link matrices\n{}",
               static_cast<std::ptrdiff_t>(operations.size()) - steps, steps, links.launches.size(), print(found));
    for (const auto& shortage : {operations.empty() ? "" : too_few_to_tell(operations), too_few_to_tell(links)}) {
      if (!shortage.empty()) fmt::print("{}\n", shortage);
    }
    return exit_ok;
  }
};

}  // namespace

Command add_stragglers(CLI::App& app) {
  auto command = std::make_shared<StragglersCommand>();
  auto& flags = *app.add_subcommand("stragglers", "the rank, host or link that the others wait for");
  command->input.add_to(flags);
  flags.add_option("--samples", command->samples, "samples of the runs, as JSON lines (those in the folders given)");
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis

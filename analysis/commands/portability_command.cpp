#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/portability.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/input.hpp"
#include "base/write_file.hpp"

namespace ringmark::analysis {
namespace {

struct PortabilityCommand {
  Input input;
  std::string by = "network";
  bool is_reference = false;

  int run() const {
    if (is_reference) {
      if (!input.where.empty()) throw BadUsage("--where: has no effect with --reference, whose files have no columns");
      for (const auto& file : input.files) {
        const auto platforms = platforms_from_csv(file, whole_file(file, file));
        fmt::print("{}", print(file, platforms, portability(platforms)));
      }
      return exit_ok;
    }
    const auto results = input.read();
    const auto all = platforms_from_results(results.table, Input::usable(results.table), by);
    if (all.empty()) throw BadUsage(fmt::format("no row has a busbw and says its {}", by));
    const bool any_to_tell = std::any_of(all.begin(), all.end(), [](const auto& each) {
      return each.second.platforms.size() > 1 || each.second.performance.size() > 1;
    });
    if (!any_to_tell)
      throw BadUsage(
          fmt::format("one {} and one configuration: there is nothing to port; give the results of another", by));
    for (const auto& [title, platforms] : all) fmt::print("{}\n", print(title, platforms, portability(platforms)));
    return exit_ok;
  }
};

}  // namespace

Command add_portability(CLI::App& app) {
  auto command = std::make_shared<PortabilityCommand>();
  auto& flags = *app.add_subcommand("portability", "performance portability over platforms (Pennycook's metric)");
  command->input.add_to(flags);
  flags.add_option("--by", command->by, "the column that tells platforms apart")->capture_default_str();
  flags.add_flag("--reference", command->is_reference,
                 "the files are tables: a configuration per row, a platform per column");
  return {&flags, [command] { return command->run(); }};
}

}  // namespace ringmark::analysis

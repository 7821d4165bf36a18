#include "analysis/analyze_main.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "base/command_line.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

int guarded(const std::function<int()>& command) try { return command(); } catch (const BadUsage& error) {
  std::fflush(stdout);
  tell(error.what());
  return exit_usage;
} catch (const std::exception& error) {
  std::fflush(stdout);
  tell(error.what());
  return exit_failed;
}

}  // namespace

int analyze_main(int argc, const char* const* argv) {
  CLI::App app("Turns results into decisions. Needs no MPI and no network.");
  app.failure_message(failure_words);
  app.set_version_flag("--version", "ringmark " + version());
  app.require_subcommand(1);
  const std::array commands{add_compare(app),   add_fit(app),  add_portability(app), add_stragglers(app),
                            add_recommend(app), add_plan(app), add_report(app)};
  const std::string word = argc > 1 ? argv[1] : "-";
  const auto is_there = [&](const Command& each) { return each.flags->get_name() == word; };
  if (!word.starts_with('-') && std::none_of(commands.begin(), commands.end(), is_there)) {
    tell(fmt::format("there is no subcommand '{}'; --help lists them", word));
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return guarded(
      std::find_if(commands.begin(), commands.end(), [](const auto& each) { return each.flags->parsed(); })->run);
}

}  // namespace ringmark::analysis

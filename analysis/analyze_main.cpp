#include "analysis/analyze_main.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include <CLI/CLI.hpp>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "results/provenance.hpp"
#include "transports/errors.hpp"
#include "transports/exit_status.hpp"

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
  app.set_version_flag("--version", "ringmark " + version());
  app.require_subcommand(1);
  const std::array commands{add_compare(app),   add_fit(app),  add_portability(app), add_stragglers(app),
                            add_recommend(app), add_plan(app), add_report(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return guarded(
      std::find_if(commands.begin(), commands.end(), [](const auto& each) { return each.flags->parsed(); })->run);
}

}  // namespace ringmark::analysis

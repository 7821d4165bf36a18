#include "analysis/analyze_main.hpp"

#include <array>

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
  std::function<int()> chosen;
  for (auto* add : {add_compare, add_fit, add_portability, add_stragglers, add_recommend, add_plan, add_report}) {
    auto run = add(app);
    app.get_subcommands(nullptr).back()->callback([&chosen, run] { chosen = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return guarded(chosen);
}

}  // namespace ringmark::analysis

#include "sweeps/sweep_main.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/command_line.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "results/provenance.hpp"
#include "sweeps/commands.hpp"
#include "sweeps/node_facts.hpp"
#include "sweeps/runner.hpp"

namespace ringmark::sweep {
namespace {

int complain(const std::string& text, int status) {
  std::fflush(stdout);
  tell(fmt::format("ringmark-sweep: {}{}", text, text.ends_with('\n') ? "" : "\n"));
  return status;
}

int guarded(const std::string& folder, const std::function<int()>& command) try {
  return command();
} catch (const BadUsage& error) {
  return complain(error.what(), exit_usage);
} catch (const Interrupted& error) {
  constexpr int shells_offset = 128;
  return complain(fmt::format("stopped; finished launches are kept. Go on with: ringmark-sweep resume {}", folder),
                  shells_offset + error.signal());
} catch (const CannotGoOn& error) {
  return complain(error.what(), exit_failed);
} catch (const JournalDamaged& error) {
  return complain(error.what(), exit_failed);
} catch (const std::exception& error) {
  const bool is_begun = !folder.empty() && std::filesystem::exists(folder + "/journal");
  const auto how = !is_begun ? "" : fmt::format("; fix that, then go on with: ringmark-sweep resume {}", folder);
  return complain(error.what() + how, exit_failed);
}

}  // namespace

int sweep_main(int argc, const char* const* argv) {
  CLI::App app("Answers one question about a cluster: launches every setting of a sweep and records the results.");
  app.failure_message(failure_words);
  app.set_version_flag("--version", "ringmark " + version());
  app.require_subcommand(1);
  std::string file, folder, nodes;
  bool dry = false;
  SurfaceOptions surface;

  auto* run = app.add_subcommand("run", "launch every setting of a sweep");
  run->add_option("sweep", file, "the YAML file")->required();
  run->add_option("-o,--output", folder, "folder for the results, new or empty");
  run->add_flag("--dry-run", dry, "print every command line and the total time limit; start nothing");

  auto* go_on = app.add_subcommand("resume", "go on with a sweep that run or tune has begun in a folder");
  go_on->add_option("folder", folder, "the folder")->required();

  auto* tune = app.add_subcommand("tune", "search for the best setting, and verify it against the default");
  tune->add_option("sweep", file, "the YAML file")->required();
  auto* output = tune->add_option("-o,--output", folder, "folder for the results, new or empty");
  auto* recorded = tune->add_option("--surface", surface.csv, "search in this results.csv instead of launching");
  output->excludes(recorded);
  const std::map<std::string, Search> searches{
      {"grid", Search::grid}, {"random", Search::random}, {"bayesian", Search::bayesian}};
  tune->add_option("--search", surface.search, "with --surface: grid, random or bayesian")
      ->transform(CLI::Transformer(searches))
      ->needs(recorded);
  tune->add_option("--budget", surface.budget_launches, "with --surface: number of launches")
      ->check(CLI::Range(2, 100000))
      ->needs(recorded);
  tune->add_option("--seed", surface.seed, "with --surface: seed of the search and of the draws")->needs(recorded);

  auto* list_sweeps = app.add_subcommand("list", "list the shipped sweeps with their questions");
  list_sweeps->add_option("folder", folder, "list the sweeps of this folder instead");

  auto* describe_node = app.add_subcommand("describe-node", "")->group("");
  describe_node->add_option("folder", nodes, "")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return guarded(run->parsed() || tune->parsed() || go_on->parsed() ? folder : "", [&] {
    if (describe_node->parsed()) return write_node_facts(nodes), exit_ok;
    if (list_sweeps->parsed()) return list(folder);
    if (go_on->parsed()) return resume(folder);
    if (tune->parsed() && !surface.csv.empty()) return tune_on_surface(file, surface);
    if (dry) return dry_run(file);
    if (folder.empty()) throw BadUsage("-o FOLDER: missing; give a folder for the results");
    return begin(file, folder, tune->parsed() ? "tune" : "run");
  });
}

}  // namespace ringmark::sweep

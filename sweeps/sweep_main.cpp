#include "sweeps/sweep_main.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/error_text.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags.hpp"
#include "base/host_list.hpp"
#include "results/provenance.hpp"
#include "sweeps/commands.hpp"
#include "sweeps/launcher_file.hpp"
#include "sweeps/node_facts.hpp"
#include "sweeps/runner.hpp"
#include "sweeps/sweep_file.hpp"

namespace ringmark::sweep {
namespace {

/// The endings that only a sweep has; run_program tells the others.
int guarded(const std::string& folder, const std::function<int()>& command) try {
  return command();
} catch (const BadUsage&) {
  throw;
} catch (const Interrupted& error) {
  tell(fmt::format("ringmark-sweep: stopped; finished launches are kept. Go on with: ringmark-sweep resume {}\n",
                   folder));
  return error.exit_status();
} catch (const CannotGoOn&) {
  throw;
} catch (const JournalDamaged&) {
  throw;
} catch (const std::exception& error) {
  std::error_code unknown;
  const bool is_begun = !folder.empty() && std::filesystem::exists(folder + "/journal", unknown);
  if (!is_begun) throw;
  throw CannotGoOn(fmt::format("{}; fix that, then go on with: ringmark-sweep resume {}", text_of(error), folder));
}

struct Options {
  std::string file, folder;
  bool dry = false;
  Overrides overrides;
  SurfaceOptions surface;
};

class SweepCommandLine {
 public:
  SweepCommandLine();
  Parsed<Options> parse(int argc, const char* const* argv) {
    return flags_.read(options_, argc, argv, [&] { check(); });
  }
  /// The subcommand that was given.
  int run(const Options& options) const;
  bool has_journal() const { return run_.is_chosen() || tune_.is_chosen() || resume_.is_chosen(); }

 private:
  void declare_surface();
  void declare_overrides(Flags& command);
  void check();

  Options options_;
  std::string hosts_;
  Flags flags_{"ringmark-sweep",
               "Answers one question about a cluster: launches every setting of a sweep and records the results.",
               "ringmark " + version()};
  Flags& run_ = flags_.subcommand("run", "launch every setting of a sweep");
  Flags& resume_ = flags_.subcommand("resume", "go on with a sweep that run or tune has begun in a folder");
  Flags& tune_ = flags_.subcommand("tune", "search for the best setting, and verify it against the default");
  Flags& list_ = flags_.subcommand("list", "list the shipped sweeps with their questions");
  Flags& describe_node_ = flags_.hidden_subcommand("describe-node");
};

SweepCommandLine::SweepCommandLine() {
  constexpr auto output = "folder for the results, new or empty";
  flags_.examples({"ringmark-sweep run sweeps/demo.yaml -o results", "ringmark-sweep resume results",
                   "ringmark-sweep tune sweeps/nccl_algo.yaml -o tuned"});
  run_.file("sweep", options_.file, "the YAML file").required();
  run_.text("-o,--output", options_.folder, output, "FOLDER");
  run_.toggle("--dry-run", options_.dry, "print every command line and how long it will take; start nothing");
  std::string keys = "Keys of the file (docs/SWEEPS.md has examples):\n";
  for (const auto& [name, meaning] : all_sweep_keys()) keys += fmt::format("  {:<16}{}\n", name, meaning);
  declare_overrides(run_);
  run_.examples({"ringmark-sweep run sweep.yaml --dry-run", "ringmark-sweep run sweep.yaml -o results",
                 "ringmark-sweep run sweeps/transports.yaml -o r --ranks 16 --ranks-per-node 2 --hosts 'node[01-08]'"},
                keys);

  resume_.text("folder", options_.folder, "the folder", "FOLDER").required();
  resume_.examples({"ringmark-sweep resume results"});

  tune_.file("sweep", options_.file, "the YAML file").required();
  tune_.text("-o,--output", options_.folder, output, "FOLDER");
  declare_surface();
  declare_overrides(tune_);
  tune_.examples(
      {"ringmark-sweep tune sweep.yaml -o tuned", "ringmark-sweep tune sweep.yaml --surface results/results.csv",
       "ringmark-sweep tune sweep.yaml --surface results/results.csv --search random --budget 30"},
      "ringmark-sweep run --help names the keys of the file.");

  list_.text("folder", options_.folder, "list the sweeps of this folder instead", "FOLDER");
  list_.examples({"ringmark-sweep list", "ringmark-sweep list my-sweeps"});
  describe_node_.text("folder", options_.folder, "", "FOLDER").required();
}

void SweepCommandLine::declare_surface() {
  auto& surface = options_.surface;
  tune_.group("A search over recorded results");
  tune_.file("--surface", surface.csv, "search in this results.csv instead of launching");
  tune_.choice("--search", surface.search,
               {{"grid", Search::grid}, {"random", Search::random}, {"bayesian", Search::bayesian}},
               "with --surface: grid, random or bayesian");
  tune_.number("--budget", surface.budget_launches, 2, 100'000, "with --surface: number of launches");
  tune_.number("--seed", surface.seed, 0, UINT64_MAX, "with --surface: seed of the search and of the draws");
}

void SweepCommandLine::declare_overrides(Flags& command) {
  auto& overrides = options_.overrides;
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& [name, kind] : launcher_kinds()) {
    if (kind != LauncherKind::custom) kinds.emplace_back(name, name);
  }
  command.group("In place of the file's");
  command.number("--ranks", overrides.ranks, 1, 1'000'000, "number of ranks");
  command.number("--ranks-per-node", overrides.ranks_per_node, 1, 4096, "ranks on each host");
  command.text("--hosts", hosts_, "hosts, in Slurm's notation too: a,b or node[01-04,07]", "LIST");
  command.choice("--launcher", overrides.launcher, std::move(kinds), "mpich, openmpi, srun or local");
}

void SweepCommandLine::check() {
  try {
    options_.overrides.hosts = expand_host_list(hosts_);
  } catch (const BadUsage& error) {
    flags_.add_problem({.flag = "--hosts", .value = hosts_, .text = error.what()});
  }
  const bool has_surface = tune_.is_given("--surface");
  for (const char* flag : {"--search", "--budget", "--seed"}) {
    if (tune_.is_given(flag) && !has_surface) tune_.problem(flag, "goes with --surface", "give that as well");
  }
  if (has_surface && tune_.is_given("--output"))
    tune_.problem("--output", "a search over recorded results writes no folder", "leave it out");
  const bool needs_folder = (run_.is_chosen() && !options_.dry) || (tune_.is_chosen() && !has_surface);
  if (needs_folder && options_.folder.empty())
    flags_.add_problem({.flag = "-o FOLDER", .text = "missing", .remedy = "give a folder for the results"});
}

int SweepCommandLine::run(const Options& options) const {
  if (describe_node_.is_chosen()) return write_node_facts(options.folder), exit_ok;
  if (list_.is_chosen()) return list(options.folder);
  if (resume_.is_chosen()) return resume(options.folder);
  if (!options.surface.csv.empty()) return tune_on_surface(options.file, options.surface);
  if (options.dry) return dry_run(options.file, options.folder, options.overrides);
  return begin(options.file, options.folder, tune_.is_chosen() ? "tune" : "run", options.overrides);
}

}  // namespace

int sweep_main(int argc, const char* const* argv) {
  SweepCommandLine line;
  const auto parsed = line.parse(argc, argv);
  if (parsed.exit_status) return leave_with(parsed);
  return guarded(line.has_journal() ? parsed.options.folder : "", [&] { return line.run(parsed.options); });
}

}  // namespace ringmark::sweep

// The command line of ringmark-sweep: its subcommands and their flags.
#pragma once

#include <chrono>
#include <string>

#include "base/flags/flags.hpp"
#include "history/input/record_run.hpp"
#include "results/files/provenance.hpp"
#include "sweeps/commands.hpp"
#include "sweeps/emit/manifest_options.hpp"
#include "sweeps/emit/sbatch_script.hpp"

namespace ringmark::sweep {

enum class SweepCommand { run, resume, tune, tune_run, init, emit, list, describe_node };

/// The options of ringmark-sweep's command line.
struct SweepOptions {
  std::string file, folder, new_file, json_file;
  bool dry = false, predicted = false, takes_other_hosts = false;
  std::chrono::milliseconds time_for_nodes = default_time_for_nodes;
  Overrides overrides;
  SurfaceOptions surface;
  std::string emit_for;
  SbatchOptions sbatch;
  ManifestOptions manifest;
  history::HistoryOptions history;
};

/// The flags of all subcommands.
class SweepCommandLine {
 public:
  SweepCommandLine();
  Parsed<SweepOptions> parse(int argc, const char* const* argv) {
    return flags_.read(options_, argc, argv, [&] { check(); });
  }
  /// The subcommand that was parsed.
  SweepCommand command() const;

 private:
  void declare_surface();
  void declare_tune_run();
  void declare_emit();
  void declare_overrides(Flags& command);
  void declare_hosts(Flags& command);
  void declare_nodes(Flags& command);
  void check();
  void find_hosts();

  SweepOptions options_;
  std::string hosts_, host_file_;
  Flags flags_{"ringmark-sweep",
               "Answers one question about a cluster: launches every setting of a sweep and records the results.",
               "ringmark " + version()};
  Flags& run_ = flags_.subcommand("run", "launch every setting of a sweep");
  Flags& resume_ = flags_.subcommand("resume", "continue a sweep that run or tune has begun in a folder");
  Flags& tune_ = flags_.subcommand("tune", "search for the best setting, and verify it against the default");
  Flags& tune_run_ = flags_.subcommand(
      "tune-run",
      "tune a training run: the collective, the strategy, the framework's communication; then verify the result");
  Flags& init_ = flags_.subcommand("init", "write a first sweep file for this cluster");
  Flags& emit_ = flags_.subcommand(
      "emit", "write a batch script or a manifest that runs a sweep and continues it after a time limit");
  Flags& list_ = flags_.subcommand("list", "list the shipped sweeps with their questions");
  Flags& describe_node_ = flags_.hidden_subcommand("describe-node");
};

}  // namespace ringmark::sweep

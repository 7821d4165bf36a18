#include "sweeps/sweep_main.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/error_text.hpp"
#include "base/text/shell_text.hpp"
#include "base/write_file.hpp"
#include "sweeps/emit/manifest.hpp"
#include "sweeps/file/sweep_flags.hpp"
#include "sweeps/new_sweep.hpp"
#include "sweeps/nodes/node_facts.hpp"
#include "sweeps/run/runner.hpp"
#include "sweeps/training/tune_run.hpp"

namespace ringmark::sweep {
namespace {

/// Handles the exceptions that are specific to sweeps; run_program reports the others.
int guarded(const std::string& folder, const std::function<int()>& command) try {
  return command();
} catch (const BadUsage&) {
  throw;
} catch (const Interrupted& error) {
  tell(fmt::format("ringmark-sweep: stopped; finished launches are kept. Continue with: ringmark-sweep resume {}\n",
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
  throw CannotGoOn(fmt::format("{}; fix that, then continue with: ringmark-sweep resume {}", text_of(error), folder));
}

void write_new_sweep(const std::string& text, const std::string& file) {
  if (file.empty()) {
    fmt::print("{}", text);
    return;
  }
  if (std::filesystem::exists(file))
    throw BadUsage(Problem{
        .flag = "--output", .value = file, .text = "already exists", .remedy = "give another name, or remove it"});
  write_file(file, text);
  tell(fmt::format("{}: review it, then: ringmark-sweep run {} --dry-run\n", file, shell_word(file)));
}

std::string emitted(const SweepOptions& options) {
  const auto checked = read_and_check(options.file, options.overrides);
  for (const auto& [name, kind] : manifest_kinds()) {
    if (name != options.emit_for) continue;
    auto manifest_options = options.manifest;
    manifest_options.results = options.sbatch.results;
    manifest_options.time_limit = options.sbatch.time_limit;
    manifest_options.gpus_per_node = options.sbatch.gpus_per_node;
    return manifest(checked, kind, options.file, options.overrides, manifest_options);
  }
  return sbatch_script(checked, options.file, options.overrides, options.sbatch);
}

/// Where an interrupted command can be resumed; empty for commands that write no journal.
std::string folder_to_resume(SweepCommand command, const SweepOptions& options) {
  const bool has_journal = command == SweepCommand::run || command == SweepCommand::tune ||
                           command == SweepCommand::tune_run || command == SweepCommand::resume;
  return has_journal ? options.folder : "";
}

int run(SweepCommand command, const SweepOptions& options) {
  switch (command) {
    case SweepCommand::describe_node:
      write_node_facts(options.folder);
      return exit_ok;
    case SweepCommand::list:
      return list(options.folder, options.json_file);
    case SweepCommand::init:
      write_new_sweep(new_sweep(find_cluster(options.overrides.allocation, options.overrides.hosts)), options.new_file);
      return exit_ok;
    case SweepCommand::emit:
      fmt::print("{}", emitted(options));
      return exit_ok;
    case SweepCommand::resume:
      if (is_tuned_run(options.folder)) return resume_tuned_run(options.folder, options.overrides);
      return resume(options.folder, options.overrides, options.takes_other_hosts, options.time_for_nodes);
    case SweepCommand::tune:
      if (!options.surface.csv.empty()) return tune_on_surface(options.file, options.surface);
      return begin(options.file, options.folder, "tune", options.overrides, options.time_for_nodes);
    case SweepCommand::tune_run:
      return tune_run(options.file, options.folder, options.overrides, options.predicted);
    case SweepCommand::run:
      break;
  }
  if (options.dry) return dry_run(options.file, options.folder, options.overrides);
  return begin(options.file, options.folder, "run", options.overrides, options.time_for_nodes);
}

}  // namespace

int sweep_main(int argc, const char* const* argv) {
  SweepCommandLine line;
  const auto parsed = line.parse(argc, argv);
  if (parsed.exit_status) return leave_with(parsed);
  const auto command = line.command();
  history::check_store(parsed.options.history);
  const auto status = guarded(folder_to_resume(command, parsed.options), [&] { return run(command, parsed.options); });
  history::record_run(parsed.options.history, parsed.options.folder);
  return status;
}

}  // namespace ringmark::sweep

#include <fmt/format.h>

#include "base/exit_status.hpp"
#include "replay/commands.hpp"
#include "replay/generate/generate.hpp"
#include "replay/import/import.hpp"
#include "replay/trace/show.hpp"
#include "replay/trace/trace_file.hpp"

namespace ringmark::replay {
namespace {

int write_and_show(const StepTrace& trace, const std::vector<std::string>& notes, const std::string& output) {
  for (const auto& note : notes) fmt::print(stderr, "ringmark-replay: {}\n", note);
  write_trace(trace, output);
  if (output != "-") fmt::print("{}", show(trace, false));
  return exit_ok;
}

}  // namespace

int generate_command(const GenerateOptions& options) {
  const auto& [step, output] = options;
  return write_and_show(generate(step.model, step.settings), step.notes, output);
}

int import_command(const ImportOptions& options) {
  std::vector<std::string> notes;
  const auto trace = import_files(options.files, options.told, notes);
  return write_and_show(trace, notes, options.output);
}

int show_command(const ShowOptions& options) {
  fmt::print("{}", show(read_trace(options.file), options.events));
  return exit_ok;
}

}  // namespace ringmark::replay

#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "replay/commands.hpp"
#include "replay/generate/generate.hpp"
#include "replay/import/import.hpp"
#include "replay/trace/calls.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "replay/trace/show.hpp"
#include "replay/trace/trace_file.hpp"

namespace ringmark::replay {
namespace {

void write(const StepTrace& trace, const std::string& output) { write_trace(trace, output); }
void write(const RoleTrace& trace, const std::string& output) { write_role_trace(trace, output); }

template <class Trace>
int write_and_show(const Trace& trace, const std::vector<std::string>& notes, const std::string& output) {
  for (const auto& note : notes) fmt::print(stderr, "ringmark-replay: {}\n", as_message(note));
  write(trace, output);
  if (output != "-") say("{}", show(trace, false));
  return exit_ok;
}

void write_calls_of(const ShowOptions& options, const AnyTrace& trace) {
  std::ostringstream text;
  write_calls(trace, *options.rank, text);
  write_file(options.calls, text.view());
}

}  // namespace

int generate_command(const GenerateOptions& options) {
  if (const auto* step = std::get_if<StepFlags::Step>(&options.step))
    return write_and_show(generate(step->model, step->settings), step->notes, options.output);
  const auto& parallel = std::get<RoleStep>(options.step);
  return write_and_show(generate(parallel), notes_of(parallel), options.output);
}

int import_command(const ImportOptions& options) {
  std::vector<std::string> notes;
  const auto trace = import_files(options.files, options.given, notes);
  return std::visit([&](const auto& each) { return write_and_show(each, notes, options.output); }, trace);
}

int show_command(const ShowOptions& options) {
  const auto trace = read_any_trace(options.file);
  if (options.rank) write_calls_of(options, trace);
  say("{}", std::visit([&](const auto& each) { return show(each, options.events); }, trace));
  return exit_ok;
}

}  // namespace ringmark::replay

// Step traces as JSON lines.
#pragma once

#include <iosfwd>
#include <string>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Throws BadUsage with the line, the field and the expected value. At most 4 million events.
StepTrace read_trace(const std::string& file);
StepTrace read_trace(std::istream& in, const std::string& file);

void write_trace(const StepTrace& trace, std::ostream& out);
/// Replaces the file only once everything is written; "-" is standard output.
void write_trace(const StepTrace& trace, const std::string& file);

}  // namespace ringmark::replay

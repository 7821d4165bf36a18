// Steps with roles as JSON lines, schema steptrace/2: a header; passes, each before its events; roles, each before its
// plays.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>

#include "replay/trace/role_trace.hpp"

namespace ringmark::replay {

/// Throws BadUsage with the line, the field and the expected value.
RoleTrace read_role_trace(std::istream& in, const std::string& file);

void write_role_trace(const RoleTrace& trace, std::ostream& out);
/// Replaces the file only once everything is written; "-" is standard output.
void write_role_trace(const RoleTrace& trace, const std::string& file);

using AnyTrace = std::variant<StepTrace, RoleTrace>;

/// Reads a trace of either schema, according to its header.
AnyTrace read_any_trace(const std::string& file);

}  // namespace ringmark::replay

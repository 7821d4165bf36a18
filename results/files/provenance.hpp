// The software and the machine of a run, for anyone who later doubts a number.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "results/files/sink.hpp"

namespace ringmark {

/// "2026-11-21T06:11:57Z".
std::string utc_text(std::chrono::sys_seconds time);
/// "2026-11-21".
std::string utc_day(std::chrono::sys_seconds time);
std::string now_utc();
/// A time as utc_text writes it, or a date alone, "2026-11-21", meaning its first second; empty for other text.
std::optional<std::chrono::sys_seconds> parse_utc(std::string_view text);
/// Unique among runs: the time and random hexadecimal digits.
std::string make_run_id();

/// Version, git revision, processor, kernel, congestion control and the recorded environment variables of this process.
/// Generates a `run_id` if it is empty.
RunContext describe_run(const std::string& program, int argc, const char* const* argv, const std::string& run_id);

/// Comment lines for people: the measured path, variables that are set but only affect another transport, and the
/// ranks' hosts.
std::string path_in_words(const RunContext& context);

/// "0.1.0 (revision)".
std::string version();
}  // namespace ringmark

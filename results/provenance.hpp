// The software and the machine of a run, for readers who doubt a number later.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "results/sink.hpp"

namespace ringmark {

/// "2026-11-21T06:11:57Z".
std::string utc_text(std::chrono::sys_seconds time);
std::string now_utc();
/// Unique among runs: the time and some random letters.
std::string make_run_id();

/// Version, git revision, processor, kernel, congestion control and the recorded variables of this process's
/// environment. An empty `run_id` is replaced by a new one.
RunContext describe_run(const std::string& program, int argc, const char* const* argv, const std::string& run_id);

/// Comment lines for a person: the path that is measured, variables of NCCL that are set though the path is not NCCL's,
/// and the ranks' hosts.
std::string path_in_words(const RunContext& context);

/// "0.1.0 (revision)".
std::string version();
}  // namespace ringmark

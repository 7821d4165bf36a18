// Readers of a running job's evidence. Each adds to the evidence, and throws BadUsage that names the file for an
// unknown version or damaged text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "analysis/job/evidence.hpp"

namespace ringmark::analysis::job {

struct JobFile {
  std::string path;
  std::optional<Time> modified{};
};

/// A dump of PyTorch's Flight Recorder of version 2, from its pickle or JSON. The rank is the number that the file's
/// name ends with.
void read_flight_recorder(Evidence& evidence, const JobFile& file, const nlohmann::json& dump);
bool is_flight_recorder(const nlohmann::json& json);

/// Lines of the watchdog of PyTorch's ProcessGroupNCCL, in the log of a rank or of several.
void read_watchdog(Evidence& evidence, const JobFile& file, std::string_view text);
bool has_watchdog_lines(std::string_view text);

/// The output of `ncclras`, of NCCL 2.24 to 2.30.
void read_ras_text(Evidence& evidence, const JobFile& file, std::string_view text);
bool is_ras_text(std::string_view text);
void read_ras_json(Evidence& evidence, const JobFile& file, const nlohmann::json& report);
bool is_ras_json(const nlohmann::json& json);
/// Throws BadUsage for a version of NCCL whose RAS output is unknown.
void check_ras_version(const JobFile& file, std::string_view version);

/// The JSON lines of NCCL's Inspector plug-in, v4.0 to v4.4.
void read_inspector(Evidence& evidence, const JobFile& file, std::string_view text);
bool is_inspector(std::string_view text);

/// The trace of NCCL's example profiler plug-in.
void read_nccl_profiler(Evidence& evidence, const JobFile& file, std::string_view text);
bool is_nccl_profiler(std::string_view text);

}  // namespace ringmark::analysis::job

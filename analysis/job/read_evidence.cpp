#include "analysis/job/read_evidence.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/read/json_documents.hpp"
#include "analysis/read/sides.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/pickle.hpp"
#include "replay/import/other_formats.hpp"
#include "replay/import/recorded_ranks.hpp"

namespace ringmark::analysis::job {
namespace {

std::optional<Time> modified(const std::string& path) {
  std::error_code unknown;
  const auto time = std::filesystem::last_write_time(path, unknown);
  if (unknown) return std::nullopt;
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::file_clock::to_sys(time));
}

bool read_json(Evidence& evidence, const JobFile& file, const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{') return false;
  for (const auto& each : json_documents(text)) {
    const auto json = parse_json(file.path, std::string(each.text));
    if (is_flight_recorder(json)) {
      read_flight_recorder(evidence, file, json);
    } else if (is_ras_json(json)) {
      read_ras_json(evidence, file, json);
    } else {
      return false;
    }
  }
  return true;
}

bool is_dump_by_name(const std::string& path) {
  const auto name = std::filesystem::path(path).filename().string();
  return name.find("trace_rank_") != std::string::npos && replay::rank_of_file(path).has_value();
}

}  // namespace

Evidence read_bytes(const JobFile& file, const std::string& bytes) {
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadUsage(fmt::format("{}: the file is empty", file.path));
  if (const auto answer = replay::other_format(bytes); !answer.empty())
    throw BadUsage(fmt::format("{}: {}", file.path, answer));
  Evidence evidence;
  if (is_pickle(bytes)) {
    const auto dump = parse_pickle(file.path, bytes);
    if (!is_flight_recorder(dump))
      throw BadUsage(fmt::format("{}: a pickle, but not a Flight Recorder dump", file.path));
    read_flight_recorder(evidence, file, dump);
    return evidence;
  }
  bool is_known = true;
  if (is_inspector(bytes)) {
    read_inspector(evidence, file, bytes);
  } else if (is_nccl_profiler(bytes)) {
    read_nccl_profiler(evidence, file, bytes);
  } else if (!read_json(evidence, file, bytes)) {
    is_known = is_ras_text(bytes) || has_watchdog_lines(bytes);
    if (is_ras_text(bytes)) read_ras_text(evidence, file, bytes);
    if (has_watchdog_lines(bytes)) read_watchdog(evidence, file, bytes);
  }
  if (!is_known)
    throw BadUsage(
        fmt::format("{}: neither a Flight Recorder dump, a RAS report, a log of PyTorch's watchdog, an NCCL Inspector "
                    "log nor a trace "
                    "of NCCL's example profiler",
                    file.path));
  return evidence;
}

Evidence read_evidence(const std::vector<std::string>& paths) {
  Evidence evidence;
  std::vector<std::string> reasons;
  for (const auto& side : sides_of(paths)) {
    for (const auto& path : side.files) {
      try {
        evidence.add(read_bytes({path, modified(path)}, whole_text(path, path)));
      } catch (const BadUsage& error) {
        if (!side.is_folder) throw;
        reasons.emplace_back(error.what());
        evidence.notes.push_back(reasons.back() + "; the file is left out");
        if (is_dump_by_name(path)) evidence.dumped.insert(*replay::rank_of_file(path));
      }
    }
  }
  if (evidence.sources.empty()) throw BadUsage(fmt::format("{}", fmt::join(reasons, "\n")));
  return evidence;
}

}  // namespace ringmark::analysis::job

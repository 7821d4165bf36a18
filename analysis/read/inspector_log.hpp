// Logs of NCCL's Inspector plug-in, v4.0 to v4.4: one JSON object for each collective of a process.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark::analysis {

struct InspectorLog {
  /// The rank that wrote the log, in one of its communicators.
  struct Context {
    std::string communicator, label;  ///< NCCL's hash, and the name that the program gave; empty without one
    int rank = 0, ranks = 0, nodes = 0;
    std::string host;

    bool operator==(const Context&) const = default;
  };
  struct Call {
    std::size_t context, line;
    std::string collective;  ///< as NCCL calls it: "AllReduce"
    std::uint64_t sequence;
    std::uint64_t size_bytes;  ///< S, the full buffer
    double time_us, busbw_GBps;
  };

  std::string version;
  std::chrono::sys_time<std::chrono::microseconds> written{};  ///< when its last record was
  std::vector<Context> contexts{};
  std::vector<Call> calls{};
  std::string cut_off{};  ///< describes a last record that is cut off and left out; empty without one
  std::string damage{};   ///< describes text between the records; empty if there is none
};

bool is_inspector_log(std::string_view text);

/// Throws BadUsage, beginning with `file`, for another version and for records that cannot be read.
InspectorLog read_inspector_log(const std::string& file, std::string_view text);

}  // namespace ringmark::analysis

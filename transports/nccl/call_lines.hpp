// Reads the lines of NCCL's log that show what a program requests: calls, communicators and groups of calls. Like the
// readers in log_lines, these return empty for other lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transports/nccl/log_lines.hpp"

namespace ringmark {

/// A collective call, logged by INFO with COLL or by TRACE with CALL.
struct NcclCallLine {
  std::string function;     ///< "AllReduce", "Send"
  std::uint64_t count = 0;  ///< as the caller gave it
  int type = 0, op = 0, root = 0;
  std::string communicator;
  std::string stream;
  std::optional<int> ranks;
  std::optional<std::uint64_t> op_count;  ///< the communicator's launches before it; TRACE does not print them
};
std::optional<NcclCallLine> read_nccl_call(const NcclLogLine& line);

/// "ncclCommInitRank comm 0x… rank 0 nranks 4 cudaDev 0 … commId 0x… - Init COMPLETE", or in a CALL log
/// "ncclCommInitRank(0x…, 4, 0x…, 0, 0)" and "ncclCommSplit(0x…, 0, 0, 0x…, 0, 2)".
struct NcclCommLine {
  std::string communicator, id;  ///< the ID is missing before 2.16, and for a split
  std::string parent;            ///< the communicator that was split, in a CALL log
  int rank = 0, ranks = 0;
  std::optional<int> device;  ///< the number of the rank's GPU in its process
};
std::optional<NcclCommLine> read_nccl_communicator(std::string_view text);

/// Group calls in a CALL log, which enclose the calls that are launched together; simulated ones are not launched.
enum class NcclGroupLine { start, end, simulated };
std::optional<NcclGroupLine> read_nccl_group(const NcclLogLine& line);

}  // namespace ringmark

#include "transports/nccl/call_lines.hpp"

#include "base/text/line_cursor.hpp"
#include "transports/nccl/names.hpp"

namespace ringmark {
namespace {

constexpr std::string_view null_pointer = "(nil)";

std::optional<NcclCallLine> read_info_call(std::string_view text) {
  LineCursor at(text);
  NcclCallLine call;
  call.function = at.until(":");
  if (!is_nccl_function(call.function) || !at.skip(": opCount ")) return std::nullopt;
  constexpr int hexadecimal = 16;
  if (std::uint64_t launches = 0; at.number(launches, hexadecimal)) call.op_count = launches;
  const bool is_read = at.find(" count ") && at.number(call.count) && at.skip(" datatype ") && at.number(call.type) &&
                       at.skip(" op ") && at.number(call.op) && at.skip(" root ") && at.number(call.root) &&
                       at.skip(" comm ");
  if (!is_read) return std::nullopt;
  call.communicator = at.until(" ");
  int ranks = 0;
  if (at.skip(" [nranks=") && at.number(ranks)) call.ranks = ranks;
  if (!at.find("stream ")) return std::nullopt;  // cut off
  call.stream = at.until(" ");
  return call;
}

/// ncclAllReduce(send,recv,count,type,op,root,comm,stream)
std::optional<NcclCallLine> read_trace_call(std::string_view text) {
  LineCursor at(text);
  if (!at.skip("nccl")) return std::nullopt;
  NcclCallLine call;
  call.function = at.until("(");
  if (!is_nccl_function(call.function)) return std::nullopt;
  const bool is_read = at.find(",") && at.find(",") && at.number(call.count) && at.skip(",") && at.number(call.type) &&
                       at.skip(",") && at.number(call.op) && at.skip(",") && at.number(call.root) && at.skip(",");
  if (!is_read) return std::nullopt;
  call.communicator = at.until(",");
  if (!at.skip(",")) return std::nullopt;
  call.stream = at.skip(null_pointer) ? null_pointer : at.until(")");
  if (!at.skip(")")) return std::nullopt;
  return call;
}

}  // namespace

std::optional<NcclCallLine> read_nccl_call(const NcclLogLine& line) {
  if (line.level == "CALL" || line.level == "TRACE") return read_trace_call(line.text);
  return line.level == "INFO" ? read_info_call(line.text) : std::nullopt;
}

std::optional<NcclCommLine> read_nccl_communicator(std::string_view text) {
  LineCursor at(text);
  NcclCommLine result;
  int device = 0, number = 0;
  // In a CALL log the arguments are (communicator, ranks, id, rank, device),
  if (at.skip("ncclCommInitRank(")) {
    result.communicator = at.until(",");
    if (!at.skip(", ") || !at.number(result.ranks) || !at.skip(", ")) return std::nullopt;
    result.id = at.until(",");
    if (!at.skip(", ") || !at.number(result.rank) || !at.skip(", ") || !at.number(device)) return std::nullopt;
    result.device = device;
    return result;
  }
  // or (communicator that is split, color, key, new communicator, rank, ranks).
  if (at.skip("ncclCommSplit(")) {
    result.parent = at.until(",");
    if (!at.skip(", ") || !at.number(number) || !at.skip(", ") || !at.number(number) || !at.skip(", "))
      return std::nullopt;
    result.communicator = at.until(",");
    if (!at.skip(", ") || !at.number(result.rank) || !at.skip(", ") || !at.number(result.ranks) || !at.skip(")") ||
        result.communicator == null_pointer)
      return std::nullopt;
    return result;
  }
  // Before 2.21 the function's name was not logged.
  if ((!text.starts_with("ncclComm") && !text.starts_with("comm ")) ||
      text.find("Init COMPLETE") == std::string_view::npos)
    return std::nullopt;
  if (!at.find("comm ")) return std::nullopt;
  result.communicator = at.until(" ");
  if (!at.find(" rank ") || !at.number(result.rank) || !at.find("nranks ") || !at.number(result.ranks))
    return std::nullopt;
  if (at.find(" cudaDev ") && at.number(device)) result.device = device;
  if (at.find(" commId ")) result.id = at.until(" ");
  return result;
}

std::optional<NcclGroupLine> read_nccl_group(const NcclLogLine& line) {
  if (line.text.starts_with("ncclGroupStart(")) return NcclGroupLine::start;
  if (line.text.starts_with("ncclGroupEnd(")) return NcclGroupLine::end;
  if (line.text.starts_with("ncclGroupSimulateEnd(")) return NcclGroupLine::simulated;
  return std::nullopt;
}

}  // namespace ringmark

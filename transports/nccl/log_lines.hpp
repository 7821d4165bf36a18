// Lines of NCCL's log (NCCL_DEBUG=INFO or TRACE), one at a time, as NCCL 2.14 to 2.28 print them. What is not
// recognised is nothing: logs are cut at 1023 characters, interleaved with others, and change with versions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/operation.hpp"

namespace ringmark {

/// "host:pid:tid [0] NCCL INFO text".
struct NcclLogLine {
  std::string process;  ///< "host:pid"
  std::string level;    ///< INFO, WARN, CALL, TRACE
  std::string_view text;
  std::optional<double> seconds;  ///< of a time stamp before it, "[1795219661.140097479]"
};
std::optional<NcclLogLine> split_nccl_line(std::string_view line);

/// The algorithm of kernels over windows of symmetric memory, which no variable names.
constexpr std::string_view nccl_symmetric = "Symmetric";

/// "AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}", printed on rank 0: what NCCL chose. Or
/// "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLL_R nchannels 4 …", whose protocol is the kernel.
struct NcclChoiceLine {
  std::string collective;           ///< as NCCL spells it, "AllReduce"
  std::uint64_t bytes = 0;          ///< count times size of the call: a rank's share for AllGather and ReduceScatter
  std::string algorithm, protocol;  ///< "Ring", "LL", as NCCL_ALGO and NCCL_PROTO spell them
  int channels = 0;
};
std::optional<NcclChoiceLine> read_nccl_choice(std::string_view text);

/// Of a channel: "[send] via NET/Socket/0", "via P2P/CUMEM", "via SHM/direct/direct", "via NET/IB/0/GDRDMA".
struct NcclConnection {
  std::string transport;  ///< "NET/Socket", "NET/IB", "P2P", "SHM", or a plug-in's
  bool gpu_direct = false;
};
std::optional<NcclConnection> read_nccl_connection(std::string_view text);

/// "NET/Socket : Using [0]eth0:10.0.0.1<0>", "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; …".
struct NcclNetwork {
  std::string transport;             ///< "NET/Socket"
  std::vector<std::string> devices;  ///< "eth0", "mlx5_0:1"
  std::string link_layer;            ///< "RoCE" or "IB", of NET/IB
};
std::optional<NcclNetwork> read_nccl_network(std::string_view text);

/// "NET/Socket: Using 2 threads and 8 sockets per thread".
struct NcclSocketThreads {
  int threads = 0, sockets = 0;
};
std::optional<NcclSocketThreads> read_nccl_socket_threads(std::string_view text);

/// "4 coll channels, 4 collnet channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer": the first.
std::optional<int> read_nccl_channel_count(std::string_view text);

/// A collective call, of INFO with COLL or TRACE with CALL.
struct NcclCallLine {
  std::string function;     ///< "AllReduce", "Send"
  std::uint64_t count = 0;  ///< as the caller gave it
  int type = 0, op = 0, root = 0;
  std::string communicator;
  std::string stream;
  std::optional<int> ranks;
};
std::optional<NcclCallLine> read_nccl_call(const NcclLogLine& line);

/// "ncclCommInitRank comm 0x… rank 0 nranks 4 … commId 0x… - Init COMPLETE", or of a CALL log
/// "ncclCommInitRank(0x…, 4, 0x…, 0, 0)".
struct NcclCommLine {
  std::string communicator, id;
  int rank = 0, ranks = 0;
};
std::optional<NcclCommLine> read_nccl_communicator(std::string_view text);

/// Group calls in a CALL log, which bound what was launched together.
enum class NcclGroupLine { start, end };
std::optional<NcclGroupLine> read_nccl_group(const NcclLogLine& line);

/// What NCCL calls a collective, "AllReduce", and which of ours that is.
std::optional<Collective> collective_of_nccl(std::string_view function);
/// By NCCL's numbers; nothing for what is none of ours.
std::optional<DataType> datatype_of_nccl(int number);
std::optional<ReduceOp> reduce_op_of_nccl(int number);
int nccl_number(DataType type);
int nccl_number(ReduceOp op);

}  // namespace ringmark

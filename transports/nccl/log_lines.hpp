// Reads single lines of NCCL's log (NCCL_DEBUG=INFO or TRACE), as printed by NCCL 2.14 to 2.32. Readers return empty
// for other lines: logs are truncated at 1023 characters, interleaved with other output, and change between versions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// "host:pid:tid [0] NCCL INFO text". Some loggers drop the process, and some insert a rank before the text: "[0] NCCL
/// INFO text", "host:pid:tid [0] NCCL INFO [3] text".
struct NcclLogLine {
  std::string process;  ///< "host:pid"; otherwise the launcher's tag, or "unnamed"
  std::string level;    ///< INFO, WARN, CALL, TRACE
  std::string_view text;
  std::optional<double> seconds;  ///< time stamp before the line, "[1795219661.140097479]"
  std::optional<int> device;      ///< the number of the GPU in its process; CALL does not print it
};
std::optional<NcclLogLine> split_nccl_line(std::string_view line);

/// Name of the algorithm of kernels over windows of symmetric memory; no variable can choose it.
constexpr std::string_view nccl_symmetric = "Symmetric";

/// NCCL's choice for a call, printed on rank 0: "AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}",
/// or "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLL_R nchannels 4 …", where the kernel is the protocol.
struct NcclChoiceLine {
  std::string collective;           ///< as NCCL spells it, "AllReduce"
  std::uint64_t bytes = 0;          ///< the call's count times size: a rank's share for AllGather and ReduceScatter
  std::string algorithm, protocol;  ///< "Ring", "LL", as NCCL_ALGO and NCCL_PROTO spell them
  int channels = 0;
};
std::optional<NcclChoiceLine> read_nccl_choice(std::string_view text);

/// A channel's path: "[send] via NET/Socket/0", "via P2P/CUMEM", "via SHM/direct/direct", "via NET/IB/0/GDRDMA",
/// "[receive] via COLLNET/SHARP/0".
struct NcclConnection {
  std::string transport;  ///< "NET/Socket", "NET/IB", "P2P", "SHM", "NET/" or "COLLNET/" with a plug-in's name
  bool gpu_direct = false;
};
std::optional<NcclConnection> read_nccl_connection(std::string_view text);

/// "NET/Socket : Using [0]eth0:10.0.0.1<0>", "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; …".
struct NcclNetwork {
  std::string transport;             ///< "NET/Socket"
  std::vector<std::string> devices;  ///< "eth0", "mlx5_0:1"
  std::string link_layer;            ///< for NET/IB: "RoCE" or "IB"
};
std::optional<NcclNetwork> read_nccl_network(std::string_view text);

/// "NET/Socket: Using 2 threads and 8 sockets per thread".
struct NcclSocketThreads {
  int threads = 0, sockets = 0;
};
std::optional<NcclSocketThreads> read_nccl_socket_threads(std::string_view text);

/// The first number of "4 coll channels, 4 collnet channels, 0 nvls channels, 4 p2p channels, …".
std::optional<int> read_nccl_channel_count(std::string_view text);

}  // namespace ringmark

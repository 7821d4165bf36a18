#include "transports/nccl/parameters.hpp"

namespace ringmark {
namespace {

using Kind = NcclParameter::Kind;
using Read = NcclParameter::Read;

constexpr long long gibi = 1LL << 30;

NcclParameter integer(std::string_view name, long long least, long long most, std::string_view default_value,
                      std::string_view affects, std::string_view meaning, std::string_view trap = "") {
  return {.name = name,
          .kind = Kind::integer,
          .least = least,
          .most = most,
          .default_value = default_value,
          .affects = affects,
          .meaning = meaning,
          .trap = trap};
}

NcclParameter bytes(std::string_view name, long long least, std::string_view default_value, std::string_view affects,
                    std::string_view meaning, std::string_view trap = "") {
  auto result = integer(name, least, gibi, default_value, affects, meaning, trap);
  result.kind = Kind::bytes;
  return result;
}

NcclParameter flag(std::string_view name, std::string_view default_value, std::string_view affects,
                   std::string_view meaning, std::string_view trap = "") {
  return {.name = name,
          .kind = Kind::flag,
          .most = 1,
          .default_value = default_value,
          .affects = affects,
          .meaning = meaning,
          .trap = trap};
}

NcclParameter choice(std::string_view name, std::vector<std::string_view> choices, std::string_view default_value,
                     std::string_view affects, std::string_view meaning, std::string_view trap = "") {
  return {.name = name,
          .kind = Kind::choices,
          .choices = std::move(choices),
          .default_value = default_value,
          .affects = affects,
          .meaning = meaning,
          .trap = trap};
}

NcclParameter text(std::string_view name, std::string_view default_value, std::string_view affects,
                   std::string_view meaning, std::string_view trap = "") {
  return {.name = name, .default_value = default_value, .affects = affects, .meaning = meaning, .trap = trap};
}

NcclParameter with(NcclParameter parameter, auto change) {
  change(parameter);
  return parameter;
}
const auto per_communicator = [](NcclParameter& p) { p.read = Read::communicator; };
const auto in_warps = [](NcclParameter& p) { p.multiple_of = 32; };

NcclParameter since(std::string_view version, NcclParameter parameter) {
  parameter.since = version;
  return parameter;
}

std::vector<NcclParameter> make_table() {
  const std::string_view all = "all", rings = "Ring and Tree", net = "between nodes", tcp = nccl_over_sockets,
                         ib = nccl_over_ib, p2p = "all_to_all, send and receive";
  return {
      {.name = "NCCL_ALGO",
       .kind = Kind::words,
       .choices = {"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"},
       .default_value = "all that the topology allows",
       .read = Read::communicator,
       .affects = "all_reduce, all_gather, reduce_scatter, broadcast, reduce",
       .meaning = "algorithms that NCCL may choose from: [list][;function:list]…, ^ before a list excludes it",
       .trap = "a list without a function applies to all five: with NCCL_ALGO=Tree all except all_reduce fail; a "
               "single rank never reads it"},
      {.name = "NCCL_PROTO",
       .kind = Kind::words,
       .choices = {"LL", "LL128", "Simple"},
       .default_value = "LL and Simple; LL128 where it is safe",
       .read = Read::communicator,
       .affects = "all_reduce, all_gather, reduce_scatter, broadcast, reduce",
       .meaning = "protocols that NCCL may choose from, in the syntax of NCCL_ALGO",
       .trap = "naming LL128 forces it even where NCCL considers it unsafe, so keep --check on"},
      with(integer("NCCL_NTHREADS", 64, 512, "512", rings, "threads of a CUDA block with Ring and Simple",
                   "values above 512 or not a multiple of 32 become 512, values below 64 become 64"),
           in_warps),
      with(integer("NCCL_LL128_NTHREADS", 160, 640, "640", rings, "threads of a CUDA block with LL128",
                   "other values are clamped to the limits"),
           in_warps),
      integer("NCCL_MIN_NCHANNELS", 0, 64, "unset", all, "minimum number of channels",
              "also overrides NCCL_MAX_CTAS; small messages still use fewer channels"),
      integer("NCCL_MAX_NCHANNELS", 1, 64, "unset", all, "maximum number of channels",
              "NCCL_MIN_CTAS and NCCL_MIN_NCHANNELS override it"),
      since("2.17", integer("NCCL_MIN_CTAS", 1, 64, "unset", all,
                            "minimum number of CUDA blocks; replaces NCCL_MIN_NCHANNELS")),
      since("2.17", integer("NCCL_MAX_CTAS", 1, 64, "unset", all,
                            "maximum number of CUDA blocks; replaces NCCL_MAX_NCHANNELS")),
      bytes("NCCL_BUFFSIZE", 4096, "4194304", all, "size of each channel's buffer, with Simple",
            "NCCL does not check it; an eighth of it also bounds chunks of all_to_all"),
      bytes("NCCL_LL_BUFFSIZE", 4096, "524288", rings, "size of each channel's buffer, with LL"),
      bytes("NCCL_LL128_BUFFSIZE", 4096, "4915200", rings, "size of each channel's buffer, with LL128"),
      bytes("NCCL_P2P_NET_CHUNKSIZE", 4096, "131072", p2p, "size of a chunk between nodes"),
      bytes("NCCL_P2P_PCI_CHUNKSIZE", 4096, "131072", p2p, "size of a chunk over PCI"),
      bytes("NCCL_P2P_NVL_CHUNKSIZE", 4096, "524288", p2p, "size of a chunk over NVLink"),
      bytes("NCCL_CHUNK_SIZE", 0, "0", p2p, "size of a channel's chunk; 0: NCCL chooses"),
      bytes("NCCL_P2P_LL_THRESHOLD", 0, "16384", p2p, "largest message that uses LL"),
      since("2.4.8",
            integer("NCCL_SOCKET_NTHREADS", 0, 16, "0; 2 on AWS, 4 on Google's cloud", tcp,
                    "helper threads of a connection",
                    "at most 64 sockets together with NCCL_NSOCKS_PERTHREAD, which NCCL lowers; 0: no helper threads")),
      since("2.4.8", integer("NCCL_NSOCKS_PERTHREAD", 1, 64, "1; 8 on AWS", tcp, "sockets of each helper thread",
                             "has no effect without helper threads, which NCCL_SOCKET_NTHREADS sets")),
      bytes("NCCL_SOCKET_MIN_TASKSIZE", 1, "65536", tcp, "smallest piece that goes to another socket"),
      bytes("NCCL_SOCKET_INLINE", 0, "128", tcp, "largest message that is sent with its header"),
      bytes("NCCL_SOCKET_SNDBUF", 4096, "the kernel's", tcp, "SO_SNDBUF"),
      bytes("NCCL_SOCKET_RCVBUF", 4096, "the kernel's", tcp, "SO_RCVBUF"),
      text("NCCL_SOCKET_IFNAME", "ib*, then others except docker and lo", "sockets, and the start of all networks",
           "prefixes of interfaces; ^ excludes, = matches the whole name (=eth0)",
           "eth1 also matches eth10; a value of one character is ignored"),
      choice("NCCL_SOCKET_FAMILY", {"AF_INET", "AF_INET6"}, "any", "sockets, and the start of all networks",
             "family of addresses", "other words are ignored"),
      integer("NCCL_CROSS_NIC", 0, 2, "2", net, "rings and trees may use different NICs on different nodes",
              "no effect with one NIC"),
      flag("NCCL_IB_DISABLE", "0", net, "sockets instead of IB and RoCE"),
      text("NCCL_IB_HCA", "all active ports", ib, "prefixes of device[:port]; ^ excludes, = matches the whole name"),
      integer("NCCL_IB_GID_INDEX", -1, 65535, "-1: chosen by NCCL", ib, "index of RoCE's GID"),
      integer("NCCL_IB_TC", -1, 255, "0", ib, "traffic class: DSCP times four"),
      integer("NCCL_IB_SL", -1, 15, "0", ib, "service level"),
      integer("NCCL_IB_QPS_PER_CONNECTION", 1, 128, "1", ib, "queue pairs of a connection"),
      since("2.18", flag("NCCL_IB_SPLIT_DATA_ON_QPS", "0", ib,
                         "send each message over all queue pairs, rather than using them in turn")),
      integer("NCCL_IB_TIMEOUT", 1, 31, "20", ib, "4.096 us × 2^n until a packet is retransmitted"),
      integer("NCCL_IB_RETRY_CNT", 0, 7, "7", ib, "retransmissions of a packet"),
      bytes("NCCL_IB_AR_THRESHOLD", 0, "8192", ib, "smallest message that uses adaptive routing"),
      integer("NCCL_IB_ADAPTIVE_ROUTING", -2, 1, "-2: on with IB, off with RoCE", ib, "adaptive routing"),
      integer("NCCL_IB_PCI_RELAXED_ORDERING", 0, 2, "2: where possible", ib, "relaxed ordering of writes to memory"),
      flag("NCCL_IB_MERGE_NICS", "1", ib, "use two ports of a card as one"),
      choice("NCCL_NET_GDR_LEVEL", {"LOC", "NVL", "PIX", "PXB", "PHB", "SYS", "0", "1", "2", "3", "4", "5"}, "PXB", ib,
             "largest distance between NIC and GPU for GPUDirect", "NCCL ignores other words"),
      choice("NCCL_P2P_LEVEL", {"LOC", "NVL", "PIX", "PXB", "PHB", "SYS", "0", "1", "2", "3", "4", "5"}, "PXB",
             "within a node", "largest distance between GPUs for direct access",
             "NCCL ignores other words; NCCL_P2P_DISABLE overrides it"),
      flag("NCCL_P2P_DISABLE", "0", "within a node", "no direct access between GPUs"),
      flag("NCCL_SHM_DISABLE", "0", "within a node", "no shared memory: uses the network within a node too"),
      since("2.17", integer("NCCL_NVLS_ENABLE", 0, 2, "2: where possible", "all_reduce, all_gather, reduce_scatter",
                            "NVLink SHARP", "silently falls back if memory is short")),
      with(integer("NCCL_PAT_ENABLE", 0, 2, "2: with one GPU per node", "all_gather, reduce_scatter",
                   "the PAT algorithm"),
           [](NcclParameter& p) { p.since = "2.23"; }),
      with(flag("NCCL_COLLNET_ENABLE", "0", "all_reduce, all_gather, reduce_scatter",
                "reduction in the network, by a plug-in"),
           per_communicator),
      with(choice("NCCL_NET", {}, "the best available", net, "Socket, IB, or a plug-in's name",
                  "NCCL fails with \"Failed to initialize any NET plugin\" if no network has that name"),
           per_communicator),
      since("2.9", flag("NCCL_SET_STACK_SIZE", "0", all, "set the kernels' stack size at the start")),
      integer("NCCL_CGA_CLUSTER_SIZE", 0, 8, "4 from Hopper on", all, "CUDA blocks that are scheduled together"),
      with(integer("NCCL_CTA_POLICY", 0, 2, "0", all, "1: fewer blocks; 2: none if possible"),
           [](NcclParameter& p) { p.since = "2.27"; }),
      flag("NCCL_CHECK_POINTERS", "0", all, "check arguments, for debugging"),
      flag("NCCL_GRAPH_MIXING_SUPPORT", "1", all, "allow graphs alongside plain launches"),
      flag("NCCL_GRAPH_REGISTER", "1", all, "register the buffers of graphs",
           "makes graphs faster than plain launches: never compare the two"),
      flag("NCCL_LOCAL_REGISTER", "1", all, "use the application's registration of buffers"),
      since("2.27", flag("NCCL_WIN_ENABLE", "1", all, "windows of symmetric memory")),
      since("2.22", flag("NCCL_RUNTIME_CONNECT", "1", all, "connect when first needed")),
      since("2.21", integer("NCCL_MNNVL_ENABLE", 0, 2, "2: where possible", all, "NVLink between nodes")),
      integer("NCCL_CUMEM_ENABLE", -2, 2, "-2: where possible", all, "CUDA's virtual memory"),
      integer("NCCL_CUMEM_HOST_ENABLE", -1, 2, "-1: where possible", all, "CUDA's virtual memory on the host"),
      flag("NCCL_IGNORE_CPU_AFFINITY", "0", all, "threads on any core instead of near the GPU"),
      since("2.24", flag("NCCL_RAS_ENABLE", "1", "none", "a service that monitors ranks")),
      flag("NCCL_LAUNCH_ORDER_IMPLICIT", "0", all, "launch a device's communicators in order"),
      {.name = "NCCL_CHECKS_DISABLE",
       .kind = Kind::flag,
       .most = 1,
       .default_value = "none",
       .until = "2.2.12",
       .affects = "none",
       .meaning = "removed in NCCL 2.2.12; only NCCL_CHECK_POINTERS remains, which is off by default",
       .trap = "NCCL ignores unknown variables"},
      {.name = "NCCL_CHECK_DISABLE",
       .kind = Kind::flag,
       .most = 1,
       .default_value = "none",
       .until = "never read",
       .affects = "none",
       .meaning = "NCCL never had it; NCCL_CHECKS_DISABLE was removed in 2.2.12; only NCCL_CHECK_POINTERS remains",
       .trap = "NCCL ignores unknown variables"},
  };
}

}  // namespace

std::span<const NcclParameter> nccl_parameters() {
  static const std::vector<NcclParameter> table = make_table();
  return table;
}

}  // namespace ringmark

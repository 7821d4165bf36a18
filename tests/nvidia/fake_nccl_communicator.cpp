#include "tests/nvidia/fake_nccl_communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/flags/option.hpp"
#include "tests/nvidia/fake_cuda_stream.hpp"
#include "tests/nvidia/fake_nccl_log.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/nccl/names.hpp"
#include "transports/nccl/parameters.hpp"

namespace ringmark::fake {

using nccl::Result;

Fault fault() {
  const auto text = setting("FAKE_NCCL");
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, -1};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
}

Result start_comm(Comm& comm, std::uint16_t port) {
  if (fault().kind == "init_hang") std::this_thread::sleep_for(std::chrono::hours(1));
  comm.bootstrap = std::make_unique<StarBootstrap>(port, comm.rank, comm.size);
  auto host = setting("NCCL_HOSTID");
  if (host.empty()) host = "this machine";
  const auto places = comm.bootstrap->all_gather(host + setting("FAKE_GPU_OF_RANK"));
  const auto gpus = setting("FAKE_GPUS");
  // The GPU is the rank's number on its host, as the program has it.
  const int count = gpus.empty() ? 8 : std::max(1, std::atoi(gpus.c_str()));
  for (int other = 0; other < comm.size; ++other) {
    const bool same_gpu = other != comm.rank && other % count == comm.rank % count;
    if (same_gpu && places[static_cast<std::size_t>(other)] == host) {
      nccl_log().warn(
          fmt::format("Duplicate GPU detected : rank {} and rank {} both on CUDA device 1000", comm.rank, other));
      return nccl::invalid_usage;
    }
  }
  auto endpoint = TcpEndpoint::create(*comm.bootstrap, {});
  comm.ranks = std::make_unique<ScheduleCommunicator>("fake", std::make_unique<TcpFabric>(endpoint, 1),
                                                      Topology::flat(comm.size), ScheduleOptions{});
  return nccl::success;
}

/// Two, or what is asked for of the eight that there can be.
int channels() {
  int least = 1, most = 8;
  read_number(setting("NCCL_MIN_NCHANNELS"), 1, 64, least);
  read_number(setting("NCCL_MAX_NCHANNELS"), 1, 64, most);
  return std::min(8, std::max(least, std::min(2, most)));
}

void tell_of_start(const Comm& comm) {
  const bool within_a_host = setting("NCCL_HOSTID").empty();
  const auto network = setting("NCCL_NET") == "IB"   ? "Socket"
                       : setting("NCCL_NET").empty() ? "Socket"
                                                     : setting("NCCL_NET");
  nccl_log().info("NET", "NET/Socket : Using [0]lo:127.0.0.1<0>");
  const auto threads = setting("NCCL_SOCKET_NTHREADS");
  if (!threads.empty())
    nccl_log().info("NET",
                    fmt::format("NET/Socket: Using {} threads and {} sockets per thread", threads,
                                setting("NCCL_NSOCKS_PERTHREAD").empty() ? "1" : setting("NCCL_NSOCKS_PERTHREAD")));
  const int next = (comm.rank + 1) % comm.size;
  if (comm.size > 1)
    nccl_log().info("INIT", fmt::format("Channel 00/0 : {}[0] -> {}[0] [send] via {}", comm.rank, next,
                                        within_a_host ? "P2P/CUMEM" : "NET/" + std::string(network) + "/0"));
  nccl_log().info(
      "INIT", fmt::format("{0} coll channels, {0} collnet channels, 0 nvls channels, {0} p2p channels", channels()));
  nccl_log().info("INIT",
                  fmt::format("ncclCommInitRankConfig comm {} rank {} nranks {} cudaDev 0 nvmlDev 0 busId 1000 commId "
                              "0x1234 - Init COMPLETE",
                              static_cast<const void*>(&comm), comm.rank, comm.size));
}

Result state_of(Comm& comm) {
  if (comm.state == nccl::in_progress && comm.starting.valid() &&
      comm.starting.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    comm.state = comm.starting.get();
    if (comm.state == nccl::success) tell_of_start(comm);
  }
  return comm.state;
}

namespace {

constexpr std::pair<Collective, const char*> functions[] = {
    {Collective::all_reduce, "AllReduce"}, {Collective::reduce_scatter, "ReduceScatter"},
    {Collective::all_gather, "AllGather"}, {Collective::reduce, "Reduce"},
    {Collective::broadcast, "Broadcast"},  {Collective::all_to_all, "AlltoAll"},
    {Collective::gather, "Gather"},        {Collective::scatter, "Scatter"},
    {Collective::send_recv, "SendRecv"}};

/// NCCL tunes none of those that are made of messages.
bool is_tuned(Collective collective) {
  return reduces(collective) || collective == Collective::all_gather || collective == Collective::broadcast;
}

/// The first algorithm and protocol that NCCL_ALGO and NCCL_PROTO allow; nothing if they exclude all.
std::optional<std::pair<std::string, std::string>> choose(const Operation& operation) {
  const bool is_all_reduce = operation.collective == Collective::all_reduce;
  std::string algorithm;
  for (const auto& word : words_allowed("NCCL_ALGO", setting("NCCL_ALGO"), name(operation.collective))) {
    if (word == "Ring" || (word == "Tree" && is_all_reduce)) algorithm = word;
  }
  if (algorithm.empty()) return std::nullopt;
  const auto protocols = words_allowed("NCCL_PROTO", setting("NCCL_PROTO"), name(operation.collective));
  return std::pair{algorithm, protocols.back()};
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

const char* function_of(Collective collective) {
  const auto is_it = [&](const auto& each) { return each.first == collective; };
  return std::find_if(std::begin(functions), std::end(functions), is_it)->second;
}

/// Logs what would be chosen, or that nothing can be.
Result tune(const Comm& comm, const Operation& operation) {
  const auto* function = function_of(operation.collective);
  const auto choice = choose(operation);
  if (!choice) {
    nccl_log().warn(
        fmt::format("Error : no algorithm/protocol available for function {} with datatype ncclFloat32. NCCL_ALGO was "
                    "set to {}.",
                    function, setting("NCCL_ALGO")));
    return nccl::invalid_usage;
  }
  if (comm.rank != 0) return nccl::success;
  const auto bytes = operation.count * size_bytes(operation.type);
  if (comm.has_windows) {
    nccl_log().info("TUNING",
                    fmt::format("{0} [Symmetric]: {1} Bytes -> Kernel {0}_AGxLL_R nchannels 2 nthreads 512 nWorks 1",
                                function, bytes));
  } else {
    const auto used = setting("FAKE_NCCL_IGNORES_ALGO").empty() ? choice->first : "Ring";
    nccl_log().info("TUNING", fmt::format("{}: {} Bytes -> Algo {} proto {} channel{{Lo..Hi}}={{0..{}}}", function,
                                          bytes, upper(used), upper(choice->second), channels() - 1));
  }
  return nccl::success;
}

/// The row and the column of one rank, which are all that its part of an all_to_all needs, besides a longest block that
/// all ranks agree on: it stands where this rank never looks, as another rank's block for itself. Messages go to all
/// ranks in order, so that the others know a group of this kind as well.
std::shared_ptr<const BlockCounts> counts_of(const Comm& comm, const Messages& messages) {
  constexpr std::size_t longest = std::size_t{1} << 21U;
  const auto n = static_cast<std::size_t>(comm.size), own = static_cast<std::size_t>(comm.rank);
  std::vector<std::size_t> elements(n * n);
  const auto other = (own + 1) % n;
  elements[other * n + other] = longest;
  for (const auto& each : messages.sends) elements[own * n + static_cast<std::size_t>(each.peer)] = each.count;
  for (const auto& each : messages.receives) elements[static_cast<std::size_t>(each.peer) * n + own] = each.count;
  return BlockCounts::of_pairs(comm.size, elements);
}

/// The collective that the messages of one rank make, with its root or pattern; nothing where they make none that the
/// programs use.
std::optional<NcclCall> collective_of(const Comm& comm, const Messages& messages) {
  const auto& [sends, receives, type, stream] = messages;
  const auto all = static_cast<std::size_t>(comm.size);
  const auto call = [&, type_number = type](Collective collective, std::size_t count, int root = 0,
                                            Pattern pattern = Pattern::ring) {
    return NcclCall{collective, count, type_number, 0, root, pattern, {}};
  };
  const auto is_to_all = [&](const auto& some) {
    if (some.size() != all) return false;
    for (std::size_t i = 0; i < all; ++i) {
      if (some[i].peer != static_cast<int>(i) || some[i].count != some[0].count) return false;
    }
    return true;
  };
  const auto names_all = [&](const auto& some) {
    std::size_t in_order = 0;
    while (in_order < some.size() && some[in_order].peer == static_cast<int>(in_order)) ++in_order;
    return some.size() == all && in_order == all;
  };
  if (all > 1 && names_all(sends) && names_all(receives)) {
    auto unequal = call(Collective::all_to_all, 0);
    unequal.counts = counts_of(comm, messages);
    return unequal;
  }
  if (is_to_all(sends) && is_to_all(receives)) return call(Collective::all_to_all, sends[0].count);
  if (is_to_all(receives) && sends.size() == 1) return call(Collective::gather, sends[0].count, comm.rank);
  if (sends.size() == 1 && receives.empty()) return call(Collective::gather, sends[0].count, sends[0].peer);
  if (is_to_all(sends) && receives.size() == 1) return call(Collective::scatter, receives[0].count, comm.rank);
  if (receives.size() == 1 && sends.empty()) return call(Collective::scatter, receives[0].count, receives[0].peer);
  for (const auto pattern : all_patterns()) {
    bool fits = sends.size() == receives.size() && static_cast<int>(sends.size()) == parts_of(pattern);
    std::size_t count = 0;
    for (std::size_t i = 0; fits && i < sends.size(); ++i) {
      const int part = static_cast<int>(i);
      fits = sends[i].peer == destination_of(pattern, part, comm.rank, comm.size) &&
             receives[i].peer == source_of(pattern, part, comm.rank, comm.size);
      count += sends[i].count;
    }
    if (fits) return call(Collective::send_recv, count, 0, pattern);
  }
  return std::nullopt;
}

}  // namespace

Result enqueue_collective(Comm& comm, void* stream, const NcclCall& call, const void* send, void* recv) {
  if (state_of(comm) == nccl::in_progress) return nccl::invalid_argument;
  if (comm.state != nccl::success) return comm.state;
  constexpr int first_with_float8 = 22400;
  const auto type = datatype_of_nccl(call.type);
  if (!type || (is_float8(*type) && nccl_version < first_with_float8)) {
    nccl_log().warn(fmt::format("AllReduce : invalid type {}", call.type));
    return nccl::invalid_argument;
  }
  const Operation operation{call.collective, *type,     reduce_op_of_nccl(call.op).value_or(ReduceOp::sum),
                            call.count,      call.root, call.pattern,
                            call.counts};
  if (comm.size > 1 && is_tuned(call.collective)) {
    if (const auto result = tune(comm, operation); result != nccl::success) return comm.state = result;
  }
  const auto wrong = fault();
  const bool is_faulty = wrong.rank == comm.rank && ++comm.collectives == 3;
  if (is_faulty && wrong.kind == "error") comm.state = nccl::remote_error;
  const bool never = is_faulty && (wrong.kind == "hang" || wrong.kind == "error");
  static auto* const enqueue =
      reinterpret_cast<FakeCudaEnqueue*>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "fake_cuda_enqueue"));
  enqueue(stream, [=, &comm]() -> Step {
    if (never) return [&comm] { return comm.aborted; };
    const auto ticket = comm.ranks->start(operation, {send, recv});
    return [&comm, ticket] {
      try {
        return comm.aborted || comm.ranks->test(ticket);
      } catch (const std::exception&) {
        comm.state = nccl::remote_error;  // as NCCL, which leaves the kernel spinning
        return false;
      }
    };
  });
  return nccl::success;
}

Result enqueue_messages(Comm& comm) {
  const auto messages = std::exchange(comm.messages, {});
  const auto call = collective_of(comm, messages);
  if (!call) return nccl::invalid_usage;
  const void* send = messages.sends.empty() ? nullptr : messages.sends.front().buffer;
  void* recv = messages.receives.empty() ? nullptr : messages.receives.front().buffer;
  return enqueue_collective(comm, messages.stream, *call, send, recv);
}

}  // namespace ringmark::fake

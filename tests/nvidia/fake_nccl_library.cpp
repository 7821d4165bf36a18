// A libnccl.so.2 over host memory, our schedules and loopback TCP, for tests of whole programs: it logs as NCCL 2.28
// does, refuses what NCCL refuses, and fails as FAKE_NCCL says: "hang:R" (rank R's third collective never begins),
// "error:R" (an asynchronous error there), "stuck_abort" (an abort that does not return), "init_hang". With
// FAKE_NCCL_OLD defined it is a 2.16, without what came later.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/nvidia/fake_cuda_stream.hpp"
#include "tests/nvidia/star_bootstrap.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"
#include "transports/nccl/api.hpp"
#include "transports/nccl/log_lines.hpp"
#include "transports/nccl/parameters.hpp"

namespace {

using namespace ringmark;
using nccl::Result;

#ifdef FAKE_NCCL_OLD
constexpr int version = 21605;
#else
constexpr int version = 22809;
#endif

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// As NCCL keeps it: read once, until it is told to read it again.
class Log {
 public:
  void reset() {
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
    level_.reset();
  }
  void info(const char* subsystem, const std::string& text) {
    const std::lock_guard lock(mutex_);
    start();
    if (*level_ == "INFO" && (subsystems_.empty() || subsystems_.find(subsystem) != std::string::npos)) {
      write(" [0] NCCL INFO " + text);
    }
  }
  void warn(const std::string& text) {
    const std::lock_guard lock(mutex_);
    last_warning = text;
    start();
    if (!level_->empty()) write(" [0] fake.cc:1 NCCL WARN " + text);
  }
  std::string last_warning;

 private:
  void start() {
    if (level_) return;
    level_ = setting("NCCL_DEBUG");
    subsystems_ = setting("NCCL_DEBUG_SUBSYS");
    const auto path = setting("NCCL_DEBUG_FILE");
    file_ = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
  }
  void write(const std::string& text) {
    auto* to = file_ == nullptr ? stdout : file_;
    const auto line = fmt::format("fakehost:{}:{}{}\n", ::getpid(), ::getpid(), text);
    std::fwrite(line.data(), 1, line.size(), to);
    std::fflush(to);
  }

  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::optional<std::string> level_;
  std::string subsystems_;
};
Log nccl_log;

struct Fault {
  std::string kind;
  int rank = -1;
};
Fault fault() {
  const auto text = setting("FAKE_NCCL");
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, -1};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
}

struct Comm {
  int rank = 0, size = 0;
  std::unique_ptr<fake::StarBootstrap> bootstrap;
  std::unique_ptr<Communicator> ranks;
  std::future<Result> starting;
  Result state = nccl::in_progress;
  bool aborted = false, has_windows = false;
  int collectives = 0;
  std::vector<std::pair<int, const void*>> sends;
  std::vector<std::pair<int, void*>> receives;
  std::size_t grouped_count = 0;
  int grouped_type = 0;
  void* stream = nullptr;
};
/// Aborted ones stay: what is enqueued refers to them.
std::vector<std::unique_ptr<Comm>> all_comms;
std::mutex all_comms_mutex;
Comm* new_comm() {
  const std::lock_guard lock(all_comms_mutex);
  return all_comms.emplace_back(std::make_unique<Comm>()).get();
}

thread_local Comm* grouped = nullptr;
thread_local int group_depth = 0;

Result start_comm(Comm& comm, std::uint16_t port) {
  if (fault().kind == "init_hang") std::this_thread::sleep_for(std::chrono::hours(1));
  comm.bootstrap = std::make_unique<fake::StarBootstrap>(port, comm.rank, comm.size);
  auto host = setting("NCCL_HOSTID");
  if (host.empty()) host = "this machine";
  const auto places = comm.bootstrap->all_gather(host + setting("FAKE_GPU_OF_RANK"));
  const auto gpus = setting("FAKE_GPUS");
  // The GPU is the rank's number on its host, as the program has it.
  const int count = gpus.empty() ? 8 : std::max(1, std::atoi(gpus.c_str()));
  for (int other = 0; other < comm.size; ++other) {
    const bool same_gpu = other != comm.rank && other % count == comm.rank % count;
    if (same_gpu && places[static_cast<std::size_t>(other)] == host) {
      nccl_log.warn(
          fmt::format("Duplicate GPU detected : rank {} and rank {} both on CUDA device 1000", comm.rank, other));
      return nccl::invalid_usage;
    }
  }
  auto endpoint = TcpEndpoint::create(*comm.bootstrap, {});
  comm.ranks = std::make_unique<ScheduleCommunicator>("fake", std::make_unique<TcpFabric>(endpoint, 1),
                                                      Topology::flat(comm.size), ScheduleOptions{});
  return nccl::success;
}

void tell_of_start(Comm& comm) {
  const bool within_a_host = setting("NCCL_HOSTID").empty();
  const auto network = setting("NCCL_NET") == "IB"   ? "Socket"
                       : setting("NCCL_NET").empty() ? "Socket"
                                                     : setting("NCCL_NET");
  nccl_log.info("NET", "NET/Socket : Using [0]lo:127.0.0.1<0>");
  const auto threads = setting("NCCL_SOCKET_NTHREADS");
  if (!threads.empty())
    nccl_log.info("NET",
                  fmt::format("NET/Socket: Using {} threads and {} sockets per thread", threads,
                              setting("NCCL_NSOCKS_PERTHREAD").empty() ? "1" : setting("NCCL_NSOCKS_PERTHREAD")));
  const int next = (comm.rank + 1) % comm.size;
  if (comm.size > 1)
    nccl_log.info("INIT", fmt::format("Channel 00/0 : {}[0] -> {}[0] [send] via {}", comm.rank, next,
                                      within_a_host ? "P2P/CUMEM" : "NET/" + std::string(network) + "/0"));
  nccl_log.info("INIT",
                fmt::format("ncclCommInitRankConfig comm {} rank {} nranks {} cudaDev 0 nvmlDev 0 busId 1000 commId "
                            "0x1234 - Init COMPLETE",
                            static_cast<void*>(&comm), comm.rank, comm.size));
}

Result state_of(Comm& comm) {
  if (comm.state == nccl::in_progress && comm.starting.valid() &&
      comm.starting.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    comm.state = comm.starting.get();
    if (comm.state == nccl::success) tell_of_start(comm);
  }
  return comm.state;
}

constexpr std::pair<Collective, const char*> functions[] = {
    {Collective::all_reduce, "AllReduce"}, {Collective::reduce_scatter, "ReduceScatter"},
    {Collective::all_gather, "AllGather"}, {Collective::reduce, "Reduce"},
    {Collective::broadcast, "Broadcast"},  {Collective::all_to_all, "AlltoAll"}};

/// What NCCL_ALGO and NCCL_PROTO leave of what exists; nothing if that is nothing.
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

Result collective(Comm* comm, void* stream, Collective what, int type, int op, std::size_t count, int root,
                  const void* send, void* recv) {
  if (state_of(*comm) == nccl::in_progress) return 4;
  if (comm->state != nccl::success) return comm->state;
  constexpr int first_with_float8 = 22400;
  if (const auto known = datatype_of_nccl(type); !known || (is_float8(*known) && version < first_with_float8)) {
    nccl_log.warn(fmt::format("AllReduce : invalid type {}", type));
    return nccl::invalid_argument;
  }
  const Operation operation{what, *datatype_of_nccl(type), reduce_op_of_nccl(op).value_or(ReduceOp::sum), count, root};
  const char* function = nullptr;
  for (const auto& [each, name] : functions) function = each == what ? name : function;
  if (comm->size > 1 && what != Collective::all_to_all) {
    const auto choice = choose(operation);
    if (!choice) {
      nccl_log.warn(
          fmt::format("Error : no algorithm/protocol available for function {} with datatype "
                      "ncclFloat32. NCCL_ALGO was set to {}.",
                      function, setting("NCCL_ALGO")));
      return comm->state = nccl::invalid_usage;
    }
    if (comm->rank == 0 && comm->has_windows) {
      nccl_log.info("TUNING",
                    fmt::format("{} [Symmetric]: {} Bytes -> Kernel {}_AGxLL_R nchannels 2 nthreads 512 nWorks 1",
                                function, count * size_bytes(operation.type), function));
    } else if (comm->rank == 0) {
      const auto used = setting("FAKE_NCCL_IGNORES_ALGO").empty() ? choice->first : "Ring";
      nccl_log.info("TUNING", fmt::format("{}: {} Bytes -> Algo {} proto {} channel{{Lo..Hi}}={{0..1}}", function,
                                          count * size_bytes(operation.type), upper(used), upper(choice->second)));
    }
  }
  const auto wrong = fault();
  const bool is_faulty = wrong.rank == comm->rank && ++comm->collectives == 3;
  if (is_faulty && wrong.kind == "error") comm->state = nccl::remote_error;
  const bool never = is_faulty && (wrong.kind == "hang" || wrong.kind == "error");
  static auto* const enqueue =
      reinterpret_cast<FakeCudaEnqueue*>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "fake_cuda_enqueue"));
  enqueue(stream, [=]() -> fake::Step {
    if (never) return [comm] { return comm->aborted; };
    const auto ticket = comm->ranks->start(operation, {send, recv}, {});
    return [comm, ticket] {
      try {
        return comm->aborted || comm->ranks->test(ticket);
      } catch (const std::exception&) {
        comm->state = nccl::remote_error;  // as NCCL, which leaves the kernel spinning
        return false;
      }
    };
  });
  return nccl::success;
}

Comm* to_comm(nccl::Comm comm) { return static_cast<Comm*>(comm); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result ncclGetVersion(int* to) { return *to = version, nccl::success; }
Result ncclGetUniqueId(nccl::UniqueId* id) {
  const auto port = fake::StarBootstrap::listen();
  std::memcpy(id->bytes, &port, sizeof port);
  return nccl::success;
}
Result ncclCommInitRankConfig(nccl::Comm* to, int size, nccl::UniqueId id, int rank, nccl::Config* config) {
  if (config->magic != 0xcafebeef) return 4;
  auto* comm = new_comm();
  comm->rank = rank;
  comm->size = size;
  std::uint16_t port = 0;
  std::memcpy(&port, id.bytes, sizeof port);
  const auto start = [comm, port] {
    try {
      return start_comm(*comm, port);
    } catch (const std::exception&) {
      return 2;
    }
  };
  *to = comm;
  if (config->blocking == 1) {
    comm->state = start();
    if (comm->state == nccl::success) tell_of_start(*comm);
    return comm->state;
  }
  std::packaged_task<Result()> task(start);
  comm->starting = task.get_future();
  std::thread(std::move(task)).detach();
  return nccl::in_progress;
}
Result ncclCommDestroy(nccl::Comm comm) {
  const std::lock_guard lock(all_comms_mutex);
  std::erase_if(all_comms, [&](const auto& each) { return each.get() == comm; });
  return nccl::success;
}
Result ncclCommAbort(nccl::Comm comm) {
  if (fault().kind == "stuck_abort") std::this_thread::sleep_for(std::chrono::hours(1));
  to_comm(comm)->aborted = true;
  return nccl::success;
}
Result ncclCommGetAsyncError(nccl::Comm comm, Result* error) {
  return *error = state_of(*to_comm(comm)), nccl::success;
}
const char* ncclGetErrorString(Result result) {
  switch (result) {
    case nccl::success:
      return "no error";
    case nccl::invalid_usage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case nccl::remote_error:
      return "remote process exited or there was a network error";
    default:
      return "internal error";
  }
}
const char* ncclGetLastError(nccl::Comm) { return nccl_log.last_warning.c_str(); }
Result ncclGroupStart() { return ++group_depth, nccl::success; }
Result ncclGroupEnd() {
  if (--group_depth > 0 || grouped == nullptr) return nccl::success;
  auto& comm = *std::exchange(grouped, nullptr);
  const auto sends = std::exchange(comm.sends, {});
  const auto receives = std::exchange(comm.receives, {});
  if (static_cast<int>(sends.size()) != comm.size || sends.size() != receives.size()) return nccl::invalid_usage;
  return collective(&comm, comm.stream, Collective::all_to_all, comm.grouped_type, 0, comm.grouped_count, 0,
                    sends.front().second, receives.front().second);
}
Result ncclSend(const void* buffer, std::size_t count, int type, int peer, nccl::Comm comm, void* stream) {
  grouped = to_comm(comm);
  grouped->sends.emplace_back(peer, buffer);
  grouped->grouped_count = count, grouped->grouped_type = type, grouped->stream = stream;
  return group_depth > 0 ? nccl::success : nccl::invalid_usage;
}
Result ncclRecv(void* buffer, std::size_t, int, int peer, nccl::Comm comm, void*) {
  to_comm(comm)->receives.emplace_back(peer, buffer);
  return nccl::success;
}
Result ncclAllReduce(const void* send, void* recv, std::size_t count, int type, int op, nccl::Comm comm, void* stream) {
  return collective(to_comm(comm), stream, Collective::all_reduce, type, op, count, 0, send, recv);
}
Result ncclReduceScatter(const void* send, void* recv, std::size_t count, int type, int op, nccl::Comm comm,
                         void* stream) {
  return collective(to_comm(comm), stream, Collective::reduce_scatter, type, op, count, 0, send, recv);
}
Result ncclAllGather(const void* send, void* recv, std::size_t count, int type, nccl::Comm comm, void* stream) {
  return collective(to_comm(comm), stream, Collective::all_gather, type, 0, count, 0, send, recv);
}
Result ncclReduce(const void* send, void* recv, std::size_t count, int type, int op, int root, nccl::Comm comm,
                  void* stream) {
  return collective(to_comm(comm), stream, Collective::reduce, type, op, count, root, send, recv);
}
Result ncclBroadcast(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm,
                     void* stream) {
  return collective(to_comm(comm), stream, Collective::broadcast, type, 0, count, root, send, recv);
}

#ifndef FAKE_NCCL_OLD
Result ncclAlltoAll(const void* send, void* recv, std::size_t count, int type, nccl::Comm comm, void* stream) {
  return collective(to_comm(comm), stream, Collective::all_to_all, type, 0, count, 0, send, recv);
}
Result ncclCommSplit(nccl::Comm parent, int color, int key, nccl::Comm* to, nccl::Config*) {
  auto& whole = *to_comm(parent);
  auto* comm = new_comm();
  *to = comm;
  comm->rank = key;
  const auto colors = whole.bootstrap->all_gather(std::to_string(color));
  std::vector<int> members;
  for (int rank = 0; rank < whole.size; ++rank) {
    if (colors[static_cast<std::size_t>(rank)] == std::to_string(color)) members.push_back(rank);
  }
  comm->size = static_cast<int>(members.size());
  comm->ranks = whole.ranks->split(members, Deadline::after(std::chrono::seconds(60)));
  comm->state = nccl::success;
  return nccl::success;
}
Result ncclCommCount(nccl::Comm comm, int* count) { return *count = to_comm(comm)->size, nccl::success; }
Result ncclCommUserRank(nccl::Comm comm, int* rank) { return *rank = to_comm(comm)->rank, nccl::success; }
Result ncclMemAlloc(void** begin, std::size_t bytes) {
  return *begin = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), nccl::success;
}
Result ncclMemFree(void* begin) { return std::free(begin), nccl::success; }
Result ncclCommRegister(nccl::Comm, void* begin, std::size_t, void** handle) { return *handle = begin, nccl::success; }
Result ncclCommDeregister(nccl::Comm, void*) { return nccl::success; }
Result ncclCommWindowRegister(nccl::Comm comm, void* begin, std::size_t, void** window, int flags) {
  to_comm(comm)->has_windows = setting("FAKE_NCCL_VOID_WINDOWS").empty();
  return *window = begin, flags == nccl::window_symmetric ? nccl::success : nccl::invalid_usage;
}
Result ncclCommWindowDeregister(nccl::Comm, void*) { return nccl::success; }
void ncclResetDebugInit() { nccl_log.reset(); }
#endif
}
#pragma GCC visibility pop

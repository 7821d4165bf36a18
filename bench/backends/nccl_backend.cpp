#include "bench/backends/nccl_backend.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/system/files.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/harness/row.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/verbs/ports.hpp"
#include "transports/nccl/conf_files.hpp"
#include "transports/nccl/environment.hpp"
#include "transports/nccl/log_lines.hpp"
#include "transports/nccl/nccl_communicator.hpp"

namespace ringmark {
namespace {

/// The way out over NCCL's network; without counters if NCCL uses several RDMA ports.
WayOut way_out_of(const std::optional<NcclNetwork>& network, bool one_host) {
  WayOut none{"", std::nullopt, [] { return std::nullopt; }, [] { return std::nullopt; }};
  if (!network) return none;
  const auto& device = network->devices.front();
  if (network->transport == "NET/Socket") {
    return way_out_over(one_host ? std::vector<std::string>{"lo"} : network->devices);
  }
  if (!network->transport.starts_with("NET/IB") || network->devices.size() > 1) return none;
  try {
    const auto ports = verbs_ports(system_verbs_driver());
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const auto& each) { return each.name() == device; });
    return port == ports.end() ? none : way_out_over(*port, choose_gid(*port, {}));
  } catch (const std::exception&) {
    return none;  // no counters of NCCL's cards are visible here
  }
}

struct GpuCard {
  std::string pci_bus_id, description, library;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuCard, pci_bus_id, description, library)

/// All ranks call it with the networks that their logs name. If any of them is used between hosts, it counts for all
/// ranks.
std::optional<Network> network_of_all(Control& control, const std::optional<Network>& mine) {
  std::optional<Network> found;
  for (const auto& word : exchange(control, "network of NCCL", mine ? name(*mine) : std::string())) {
    const auto network = parse_network(word);
    if (!network) continue;
    if (network != Network::shm && network != Network::device) return network;
    if (found != Network::shm) found = network;
  }
  return found;
}

/// On a single rank, NCCL averages floating-point numbers with a kernel. It copies everything else.
bool multiplies(ReduceOp op, DataType type) { return op == ReduceOp::avg && !is_integer(type); }

std::vector<Problem> problems_of_settings(const std::map<std::string, std::string>& settings,
                                          const NcclLibrary& library) {
  auto problems = wrong_parameters(settings, library.api ? library.version : 0);
  if (const auto blocking = settings.find("NCCL_COMM_BLOCKING"); blocking != settings.end() && blocking->second == "0")
    problems.push_back({.flag = blocking->first,
                        .value = blocking->second,
                        .text = "an NCCL thread would start each operation, and its overhead would be measured",
                        .remedy = "leave it unset"});
  return problems;
}

/// Problems of the environment and of NCCL's own files, with NCCL's precedence: the environment, then the first file.
std::vector<Problem> problems_of_all_settings(const NcclLibrary& library) {
  auto settings = nccl_environment();
  auto problems = problems_of_settings(settings, library);
  for (const auto& file : nccl_conf_files()) {
    const auto text = read_if_readable(file);
    for (auto& problem : nccl_conf_problems(text, file.string())) problems.push_back(std::move(problem));
    const auto of_file = nccl_conf_settings(text);
    std::map<std::string, std::string> more;
    for (const auto& [name, given] : of_file) {
      if (name.starts_with("NCCL_") && !settings.contains(name)) more.emplace(name, given.value);
    }
    for (auto& problem : problems_of_settings(more, library)) {
      problem.place = Place{file.string(), of_file.at(problem.flag).line};
      problems.push_back(std::move(problem));
    }
    settings.merge(more);
  }
  const auto is_same = [](const Problem& a, const Problem& b) { return a.flag == b.flag && a.text == b.text; };
  for (auto& problem : contradictions(settings)) {
    const bool is_known =
        std::any_of(problems.begin(), problems.end(), [&](const Problem& each) { return is_same(each, problem); });
    if (!is_known) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace

void NcclBackend::check(const RunOptions& options, std::string_view /*mpi*/) const {
  const auto library = open_nccl(options.of<NcclOptions>().library);
  if (auto problems = problems_of_all_settings(library); !problems.empty()) throw BadUsage(std::move(problems));
  if (!library.api) throw Unusable(library.why_not);
  const auto& driver = system_cuda_driver();
  if (driver.api == nullptr)
    throw Unusable(fmt::format("NCCL {} is installed, but {}", library.version_text(), driver.why_not));
  if (const auto reason = why_no_streams(*driver.api); !reason.empty()) throw Unusable(reason);
}

std::string NcclBackend::why_no_device() const {
  try {
    const CudaMemory memory(system_cuda_driver(), 0);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string NcclBackend::listing(const RunOptions& options) const {
  std::string text;
  const auto library = open_nccl(options.of<NcclOptions>().library);
  if (library.api) text += fmt::format("       NCCL {} ({})\n", library.version_text(), library.path);
  const auto& driver = system_cuda_driver();
  if (driver.api == nullptr) return text;
  text += fmt::format("       driver for {}\n", cuda_version_text(*driver.api));
  try {
    int count = 1;
    for (int gpu = 0; gpu < count; ++gpu) {
      const CudaMemory memory(driver, gpu);
      driver.api->device_get_count(&count);
      text += fmt::format("       {}, {}\n", memory.describe(), memory.pci_bus_id());
    }
  } catch (const std::exception& error) {
    text += fmt::format("       {}\n", error.what());
  }
  return text;
}

void NcclBackend::open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) {
  const auto& hosts = resources.places.hosts;
  const int rank = bootstrap.rank();
  together(bootstrap, resources, [&] {
    runtime_ = std::make_shared<NcclRuntime>(system_cuda_driver(), options.of<NcclOptions>(), rank,
                                             local_rank_of(rank, hosts));
  });
  const auto& gpu = runtime_->gpu();
  const auto library = runtime_->library().version_text();
  const auto cards = exchange(bootstrap, "GPU", GpuCard{gpu.pci_bus_id(), gpu.describe(), library});
  std::map<std::pair<std::string, std::string>, int> ranks_on;
  for (std::size_t other = 0; other < cards.size(); ++other) {
    ++ranks_on[{hosts[other], cards[other].pci_bus_id}];
    const auto& bus_id = cards[other].pci_bus_id;
    gpus_.push_back(cards[other].description + (bus_id.empty() ? "" : " at " + bus_id));
  }
  const auto shared = std::find_if(ranks_on.begin(), ranks_on.end(), [](const auto& each) { return each.second > 1; });
  time_sliced_ = shared != ranks_on.end();
  if (time_sliced_ && std::getenv("NCCL_HOSTID") == nullptr)
    throw Unusable(
        fmt::format("{} {}: ranks share this GPU, but NCCL needs one per rank; start fewer ranks, or to check "
                    "results and settings without valid times, give --set "
                    "nccl.share_gpu=1",
                    shared->first.first, shared->first.second));
  for (std::size_t other = 1; other < cards.size(); ++other) {
    if (cards[other].library != cards[0].library)
      throw Unusable(fmt::format("the ranks have different NCCL versions: {} on {}, {} on {}", cards[0].library,
                                 hosts[0], cards[other].library, hosts[other]));
  }
}

void NcclBackend::describe(std::map<std::string, std::string>& facts, const RankResources& /*resources*/) const {
  facts["NCCL"] = fmt::format("{} ({})", runtime_->library().version_text(), runtime_->library().path);
  facts["CUDA driver"] = cuda_version_text(runtime_->cuda());
  if (const auto files = nccl_settings_in_files(); !files.empty()) facts["NCCL's own files"] = files;
  if (time_sliced_)
    facts["time-sliced"] = "ranks share a GPU and take turns: results and settings are valid, times are not";
}

std::map<std::string, std::string> NcclBackend::library_versions(const RankResources& /*resources*/) const {
  // NCCL loads libibverbs with its first communicator, wherever it is installed.
  return {{"nccl_version", runtime_->library().version_text()},
          {"driver_version", driver_version_text(runtime_->cuda())},
          {"ibverbs_version", ibverbs_version_text()}};
}

std::string NcclBackend::place_of(int rank, const RankResources& resources) const {
  return fmt::format("{}, {}", Backend::place_of(rank, resources), gpus_[static_cast<std::size_t>(rank)]);
}

bool NcclBackend::has_work(const Operation& operation, bool in_place, int ranks) const {
  return ranks > 1 || !in_place || multiplies(operation.op, operation.type);
}

void NcclBackend::describe(Record& record) const {
  record.settings.others.merge(chosen_nccl_environment());
  record.time_sliced = time_sliced_ ? 1 : 0;
}

std::unique_ptr<Communicator> NcclBackend::make_communicator(const RunOptions& options, const RankResources& resources,
                                                             const std::string& /*algorithm*/, bool /*is_preference*/) {
  auto* control = resources.control.get();
  control->watch();
  std::unique_ptr<NcclCommunicator> communicator;
  std::string problem;
  try {
    communicator = std::make_unique<NcclCommunicator>(
        runtime_, control->rank(), control->size(),
        NcclPeers{[control](std::string_view mine) { return control->all_gather(mine).front(); },
                  [control] { control->look_around(); }, options.timeout});
  } catch (const Unusable& error) {
    problem = error.what();  // all ranks exit with the same status
  }
  for (const auto& each : exchange(*control, "start of NCCL", problem)) {
    if (!each.empty()) throw Unusable(each);
  }
  runtime_->hear();
  runtime_->log().listen(false);
  way_out_ = way_out_of(runtime_->heard().network, on_one_host(resources.places.hosts));
  return communicator;
}

void NcclBackend::judge(Record& record, const RankResources& resources) {
  auto& control = *resources.control;
  runtime_->hear();
  auto said = runtime_->heard();
  said.choice.reset();
  if (!record.algorithm_used.empty())
    said.choice = {"", 0, record.algorithm_used, record.protocol_used, record.channels_used.value_or(0)};
  // If the log does not name a network, the one that the counters prove stays.
  if (const auto network = network_of_all(control, said.network_used())) record.network = network;
  const auto collective = record.collective.only();
  const auto ignored = exchange(control, "ignored settings",
                                ignored_settings(said, nccl_environment(), collective ? name(*collective) : ""));
  if (const auto first = std::find_if_not(ignored.begin(), ignored.end(), [](const auto& e) { return e.empty(); });
      first != ignored.end())
    mark_ignored(record, *first);
  // NCCL treats a window it cannot use as registered memory, and only the choice of kernels shows that.
  const bool has_window = runtime_->options().buffer == NcclBuffer::window && record.ranks > 1;
  if (has_window && !record.algorithm_used.empty() && record.algorithm_used != nccl_symmetric)
    mark_ignored(record, fmt::format("nccl.buffer=window: NCCL used {} instead of a kernel for symmetric memory",
                                     record.algorithm_used));
  if (has_window && record.algorithm_used.empty()) add_remark(record, "unknown whether windows had an effect");
  if (said.gpu_direct) add_remark(record, "GPUDirect RDMA");
  if (said.socket_threads && said.socket_threads->threads > 0)
    add_remark(record, fmt::format("{} helper threads, {} sockets each", said.socket_threads->threads,
                                   said.socket_threads->sockets));
  if (record.time_sliced > 0) record.caveats.emplace_back(SharedGpu{});
  if (record.ranks > 1) return;
  record.algorithm_used = "";
  record.network = Network::device;
  if (record.collective == TrainingStep{}) return;
  const auto op = record.op.only();
  const auto type = record.datatype.only();
  if (op && type && multiplies(*op, *type)) {
    add_remark(record, "one rank: a kernel that multiplies by 1");
  } else if (record.in_place > 0) {
    add_remark(record, "one rank in place: NCCL has nothing to do; this is the time of the call");
  } else {
    add_remark(record, "one rank: a copy within the GPU");
  }
}

}  // namespace ringmark

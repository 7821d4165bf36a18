#include "transports/fabric/verbs/device.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr int access = ibv::access_local_write | ibv::access_remote_write;

/// The kernel's accounting of this process's locked memory.
struct Locked {
  std::size_t pinned_bytes = 0;  ///< for devices
  bool unlimited = false;        ///< CAP_IPC_LOCK lifts the limit
};

Locked locked_memory() {
  constexpr int cap_ipc_lock = 14;
  constexpr std::string_view pinned = "VmPin:", capabilities = "CapEff:";
  Locked locked;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(pinned)) locked.pinned_bytes = std::stoull(line.substr(pinned.size())) * 1024;
    if (line.starts_with(capabilities)) {
      locked.unlimited = (std::stoull(line.substr(capabilities.size()), nullptr, 16) >> cap_ipc_lock & 1) != 0;
    }
  }
  return locked;
}

void require_lockable(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto locked = locked_memory();
  if (locked.unlimited || locked.pinned_bytes + bytes <= limit.rlim_cur) return;
  throw Unusable(
      fmt::format("RDMA needs to lock {} bytes of memory in addition to {} already locked, but this process may lock "
                  "only {}; raise "
                  "the limit (ulimit -l; memlock in /etc/security/limits.conf, LimitMEMLOCK= of the service that "
                  "starts the ranks)",
                  bytes, locked.pinned_bytes, limit.rlim_cur));
}

}  // namespace

VerbsDevice::VerbsDevice(const VerbsDriver& driver, Port port, GidEntry gid, Memory& memory)
    : api_(*driver.api),
      memory_(memory),
      port_(std::move(port)),
      gid_(std::move(gid)),
      context_(nullptr, api_.close_device),
      pd_(nullptr, api_.dealloc_pd) {
  int count = 0;
  const std::unique_ptr<ibv::Device*, void (*)(ibv::Device**)> list(api_.get_device_list(&count),
                                                                    api_.free_device_list);
  for (int i = 0; i < count && !context_; ++i) {
    if (port_.device == api_.get_device_name(list.get()[i])) context_.reset(api_.open_device(list.get()[i]));
  }
  if (context_) pd_.reset(api_.alloc_pd(context_.get()));
  if (!pd_) throw Unusable(fmt::format("cannot open RDMA device {}: {}", port_.device, std::strerror(errno)));
}

VerbsPtr<ibv::Mr> VerbsDevice::register_host(std::span<std::byte> memory) {
  require_lockable(memory.size());
  VerbsPtr<ibv::Mr> registration(api_.reg_mr(pd_.get(), memory.data(), memory.size(), access), api_.dereg_mr);
  if (!registration) {
    const int error = errno;
    throw TransportError(fmt::format("{} cannot register {} bytes: {}{}", port_.device, memory.size(),
                                     std::strerror(error),
                                     error == ENOMEM ? "; is the limit of locked memory (ulimit -l) too low?" : ""));
  }
  return registration;
}

VerbsPtr<ibv::Mr> VerbsDevice::register_dma_buf(std::span<std::byte> memory) {
  VerbsPtr<ibv::Mr> registration(nullptr, api_.dereg_mr);
  if (api_.reg_dmabuf_mr == nullptr) return registration;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t offset = begin % page_bytes;
  const std::size_t whole_pages = (offset + memory.size() + page_bytes - 1) / page_bytes * page_bytes;
  const auto handle = memory_.export_dma_buf({memory.data() - offset, whole_pages});
  if (handle) {
    registration.reset(api_.reg_dmabuf_mr(pd_.get(), offset, memory.size(), begin, handle->get(), access));
  }
  return registration;
}

VerbsPtr<ibv::Mr> VerbsDevice::register_kept(std::span<std::byte> memory) {
  if (memory_.kind() == MemoryKind::host) return register_host(memory);
  if (auto registration = register_dma_buf(memory)) return registration;
  VerbsPtr<ibv::Mr> registration(api_.reg_mr(pd_.get(), memory.data(), memory.size(), access), api_.dereg_mr);
  if (registration) return registration;
  throw Unusable(fmt::format(
      "{} cannot reach {}: the adapter accepts no dma-buf for its memory (that needs the open kernel modules "
      "of CUDA 11.7 or later, Linux 5.12, rdma-core 34), and nvidia_peermem failed too ({}): modprobe "
      "nvidia_peermem, or give --set verbs.memory=host",
      port_.name(), memory_.describe(), std::strerror(errno)));
}

void VerbsDevice::keep(std::span<std::byte> memory) {
  if (memory.empty()) return;
  const auto found = kept_.find(memory.data());
  if (found == kept_.end() || found->second.bytes < memory.size()) {
    auto registration = register_kept(memory);
    auto& kept = kept_[memory.data()];
    kept.registrations.push_back(std::move(registration));
    kept.bytes = memory.size();
  }
  ++kept_[memory.data()].holders;
}

void VerbsDevice::forget(std::span<std::byte> memory) {
  const auto found = kept_.find(memory.data());
  if (found != kept_.end() && --found->second.holders == 0) kept_.erase(found);
}

const ibv::Mr* VerbsDevice::find_kept(const std::byte* begin, std::size_t bytes) const {
  auto after = kept_.upper_bound(begin);
  if (after == kept_.begin()) return nullptr;
  const auto& [start, kept] = *std::prev(after);
  const bool covers = begin + bytes <= start + kept.bytes;
  return covers ? kept.registrations.back().get() : nullptr;
}

}  // namespace ringmark

// An open RDMA device and the memory registered with it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "transports/fabric/verbs/ports.hpp"
#include "transports/memory/memory.hpp"

namespace ringmark {

/// Owns an object of libibverbs.
template <class Object>
using VerbsPtr = std::unique_ptr<Object, int (*)(Object*)>;

class VerbsDevice {
 public:
  /// keep() accepts blocks of `memory`, which must outlive the device. Throws Unusable with the reason if the device
  /// cannot be opened.
  VerbsDevice(const VerbsDriver& driver, Port port, GidEntry gid, Memory& memory = host_memory());

  const VerbsApi& api() const { return api_; }
  const Port& port() const { return port_; }
  const GidEntry& gid() const { return gid_; }
  Memory& memory() const { return memory_; }
  ibv::Context* context() const { return context_.get(); }
  ibv::Pd* pd() const { return pd_.get(); }

  /// Registers host memory for local reads and remote writes. Throws TransportError, which names the limit of locked
  /// memory if that is the cause.
  VerbsPtr<ibv::Mr> register_host(std::span<std::byte> memory);

  /// Registers memory until forget() has been called as often as keep(). GPU memory is registered by its dma-buf if
  /// possible, otherwise through nvidia_peermem. Throws Unusable if neither works.
  void keep(std::span<std::byte> memory);
  void forget(std::span<std::byte> memory);
  /// The registration that covers these bytes, or null.
  const ibv::Mr* find_kept(const std::byte* begin, std::size_t bytes) const;

 private:
  struct Kept {
    std::vector<VerbsPtr<ibv::Mr>> registrations;  ///< the last is the largest; messages may still use the others
    std::size_t bytes = 0;
    int holders = 0;
  };

  VerbsPtr<ibv::Mr> register_kept(std::span<std::byte> memory);
  VerbsPtr<ibv::Mr> register_dma_buf(std::span<std::byte> memory);

  const VerbsApi& api_;
  Memory& memory_;
  Port port_;
  GidEntry gid_;
  VerbsPtr<ibv::Context> context_;
  VerbsPtr<ibv::Pd> pd_;
  std::map<const std::byte*, Kept> kept_;
};

/// The transport's own host memory: page-aligned and registered.
class RegisteredMemory {
 public:
  RegisteredMemory() = default;
  RegisteredMemory(VerbsDevice& device, std::size_t bytes)
      : memory_(host_memory(), bytes), registration_(device.register_host(memory_.span())) {}

  explicit operator bool() const { return static_cast<bool>(registration_); }
  std::byte* data() const { return memory_.data(); }
  const ibv::Mr& registration() const { return *registration_; }

 private:
  Block memory_;
  VerbsPtr<ibv::Mr> registration_{nullptr, nullptr};
};

}  // namespace ringmark

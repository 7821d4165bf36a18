#include "transports/nccl/registrations.hpp"

#include <algorithm>

#include "base/exit_status.hpp"

namespace ringmark {

nccl::Result NcclRegistrations::add(nccl::Comm comm, std::span<std::byte> memory) {
  known_.push_back({memory, nullptr});
  return add(comm, known_.back());
}

nccl::Result NcclRegistrations::add_all(nccl::Comm comm) {
  for (auto& known : known_) {
    if (const auto result = add(comm, known); result != nccl::success) return result;
  }
  return nccl::success;
}

void NcclRegistrations::remove(nccl::Comm comm, std::span<std::byte> memory) {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const auto& known) { return known.memory.data() == memory.data(); });
  if (found == known_.end()) return;
  remove(comm, *found);
  known_.erase(found);
}

void NcclRegistrations::remove_all(nccl::Comm comm) {
  for (auto& known : known_) remove(comm, known);
}

void NcclRegistrations::lose_handles() {
  for (auto& known : known_) known.handle = nullptr;
}

std::string_view NcclRegistrations::call() const {
  return runtime_.options().buffer == NcclBuffer::window ? "ncclCommWindowRegister" : "ncclCommRegister";
}

nccl::Result NcclRegistrations::add(nccl::Comm comm, Known& known) {
  const auto& api = runtime_.api();
  if (known.memory.empty()) return nccl::success;
  const auto guard = runtime_.watchdog().guard("registering memory with NCCL", Deadline::after(timeout_), exit_failed);
  if (runtime_.options().buffer == NcclBuffer::registered)
    return api.comm_register(comm, known.memory.data(), known.memory.size(), &known.handle);
  if (runtime_.options().buffer != NcclBuffer::window) return nccl::success;
  return api.window_register(comm, known.memory.data(), known.memory.size(), &known.handle, nccl::window_symmetric);
}

void NcclRegistrations::remove(nccl::Comm comm, Known& known) {
  const auto& api = runtime_.api();
  if (known.handle == nullptr) return;
  const auto guard =
      runtime_.watchdog().guard("deregistering memory with NCCL", Deadline::after(timeout_), exit_failed);
  if (runtime_.options().buffer == NcclBuffer::window) {
    api.window_deregister(comm, known.handle);
  } else {
    api.comm_deregister(comm, known.handle);
  }
  known.handle = nullptr;
}

}  // namespace ringmark

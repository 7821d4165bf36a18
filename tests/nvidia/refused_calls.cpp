// An application whose calls NCCL refuses, without a GPU: refused-calls prints each result. Null pointers where NCCL
// wants communicators, and a group that is only simulated.
#include <cstdio>

#include <dlfcn.h>

#include "transports/nccl/api.hpp"

using ringmark::nccl::Comm;
using ringmark::nccl::UniqueId;

/// As the dynamic linker binds it in an application. Tests build against a stand-in that lacks some functions.
template <class Function>
Function* function(const char* name) {
  auto* const found = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
  if (found == nullptr) std::printf("no %s\n", name);
  return found;
}

int main() {
  constexpr int float32 = 7, sum = 0;
  UniqueId id{};
  Comm comm = nullptr;
  auto* const init = function<int(Comm*, int, UniqueId, int)>("ncclCommInitRank");
  auto* const init_all = function<int(Comm*, int, const int*)>("ncclCommInitAll");
  auto* const reduce = function<int(const void*, void*, std::size_t, int, int, Comm, void*)>("ncclAllReduce");
  auto* const start = function<int()>("ncclGroupStart");
  auto* const end = function<int()>("ncclGroupEnd");
  auto* const simulate = function<int(void*)>("ncclGroupSimulateEnd");  // since 2.22
  if (init == nullptr || init_all == nullptr || reduce == nullptr || start == nullptr || end == nullptr) return 1;
  const auto reduces = [&] { return reduce(nullptr, nullptr, 8, float32, sum, nullptr, nullptr); };
  std::printf("%d %d %d\n", init(nullptr, 2, id, 0), init(&comm, 0, id, 0), init_all(nullptr, 1, nullptr));
  std::printf("%d\n", reduces());
  std::printf("%d", start());
  std::printf(" %d", reduces());
  std::printf(" %d\n", end());
  if (simulate != nullptr) {
    std::printf("%d", start());
    std::printf(" %d\n", simulate(nullptr));
  }
  return 0;
}

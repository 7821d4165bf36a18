#include "transports/nccl/library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include "base/flags/flags.hpp"
#include "transports/nccl/version.hpp"

namespace ringmark {
namespace {

constexpr const char* soname = "libnccl.so.2";

/// The Python environments that a shell would use, without duplicates: the activated one, those in PATH, the system's.
std::vector<std::filesystem::path> python_roots() {
  std::vector<std::filesystem::path> roots;
  const auto add = [&](const std::filesystem::path& root) {
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  };
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* root = std::getenv(name)) add(root);
  }
  const char* path = std::getenv("PATH");
  for (const auto& entry : split_at(path == nullptr ? "" : path, ':')) {
    if (entry.empty()) continue;
    const auto programs = std::filesystem::path(entry) / "";  // ends in one slash
    std::error_code error;
    if (std::filesystem::exists(programs / "python3", error)) add(programs.parent_path().parent_path());
  }
  add("/usr/local");
  add("/usr");
  return roots;
}

/// PyTorch's wheels contain a copy that the dynamic loader does not find.
std::vector<std::string> copies_in_python() {
  std::vector<std::string> copies;
  for (const auto& root : python_roots()) {
    std::error_code error;
    std::vector<std::string> here;
    for (const auto& entry : std::filesystem::directory_iterator(root / "lib", error)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const auto file = entry.path() / packages / "nvidia/nccl/lib" / soname;
        if (std::filesystem::exists(file, error)) here.push_back(file);
      }
    }
    std::sort(here.rbegin(), here.rend());
    copies.insert(copies.end(), here.begin(), here.end());
  }
  return copies;
}

template <class Function>
bool find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::string path_of(void* library) {
  struct link_map* map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : "";
}

/// The name of the first missing required function; empty if none is missing.
const char* resolve(void* library, NcclApi& api) {
  const char* missing = nullptr;
  const auto need = [&](auto& function, const char* name) {
    if (!find(library, function, name) && missing == nullptr) missing = name;
  };
  need(api.get_version, "ncclGetVersion");
  need(api.get_unique_id, "ncclGetUniqueId");
  need(api.comm_init_rank_config, "ncclCommInitRankConfig");
  need(api.comm_destroy, "ncclCommDestroy");
  need(api.comm_abort, "ncclCommAbort");
  need(api.comm_get_async_error, "ncclCommGetAsyncError");
  need(api.get_error_string, "ncclGetErrorString");
  need(api.group_start, "ncclGroupStart");
  need(api.group_end, "ncclGroupEnd");
  need(api.all_reduce, "ncclAllReduce");
  need(api.reduce_scatter, "ncclReduceScatter");
  need(api.all_gather, "ncclAllGather");
  need(api.reduce, "ncclReduce");
  need(api.broadcast, "ncclBroadcast");
  need(api.send, "ncclSend");
  need(api.recv, "ncclRecv");
  find(library, api.get_last_error, "ncclGetLastError");
  find(library, api.comm_split, "ncclCommSplit");
  find(library, api.mem_alloc, "ncclMemAlloc");
  find(library, api.mem_free, "ncclMemFree");
  find(library, api.comm_register, "ncclCommRegister");
  find(library, api.comm_deregister, "ncclCommDeregister");
  find(library, api.window_register, "ncclCommWindowRegister");
  find(library, api.window_deregister, "ncclCommWindowDeregister");
  find(library, api.all_to_all, "ncclAlltoAll");
  find(library, api.gather, "ncclGather");
  find(library, api.scatter, "ncclScatter");
  find(library, api.reset_debug, "ncclResetDebugInit");
  return missing;
}

}  // namespace

std::string NcclLibrary::version_text() const { return nccl_version_text(version); }

NcclLibrary open_nccl(const std::string& path) {
  NcclLibrary result;
  std::vector<std::string> candidates{path.empty() ? soname : path};
  void* library = ::dlopen(candidates.front().c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string first_problem = library == nullptr ? ::dlerror() : "";
  if (library == nullptr && path.empty()) {
    for (const auto& copy : copies_in_python()) {
      candidates.push_back(copy);
      library = ::dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
    }
  }
  if (library == nullptr) {
    result.why_not = fmt::format("{} cannot be opened ({}): install NCCL, or name its file with --set nccl.library=",
                                 fmt::join(candidates, ", "), first_problem);
    return result;
  }
  result.path = path_of(library);
  auto api = std::make_shared<NcclApi>();
  if (const char* missing = resolve(library, *api)) {
    result.why_not = fmt::format("{} has no {}: it is not NCCL, or older than 2.14", result.path, missing);
    return result;
  }
  api->get_version(&result.version);
  result.api = std::move(api);
  return result;
}

}  // namespace ringmark

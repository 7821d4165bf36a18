#include "transports/mpi/mpi_library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/flags/flags.hpp"
#include "base/system/watchdog.hpp"
#include "transports/bootstrap/launcher_variables.hpp"

namespace ringmark {
namespace {

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

std::filesystem::path module_path(std::string_view name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / RINGMARK_MODULES / fmt::format("ringmark-mpi-{}.so", name);
}

/// Open MPI's plug-ins need its symbols to be global.
void* open_globally(const char* path) { return ::dlopen(path, RTLD_NOW | RTLD_GLOBAL); }

/// For a module that does not name its library. MPICH's family shares an ABI under the first name; Debian uses the
/// second.
bool load_library(std::string_view name) {
  const auto files =
      name == "mpich" ? std::array{"libmpi.so.12", "libmpich.so.12"} : std::array{"libmpi.so.40", "libmpi.so"};
  return std::any_of(files.begin(), files.end(), [](const char* file) { return open_globally(file) != nullptr; });
}

}  // namespace

std::string_view detect_mpi() {
  if (const char* forced = std::getenv("RINGMARK_MPI")) {
    const std::string_view name = forced;
    if (name == "none") return "";
    if (name == "mpich" || name == "openmpi") return name;
    throw BadUsage(fmt::format("RINGMARK_MPI={}: give mpich, openmpi or none", name));
  }
  if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_RANK")) return "openmpi";
  if (is_set("PMI_RANK") || is_set("PMI_FD") || is_set("PMI_PORT")) return "mpich";
  return "";
}

std::shared_ptr<MpiLibrary> MpiLibrary::open(std::string_view name, std::chrono::milliseconds timeout) {
  const auto path = module_path(name);
  if (!std::filesystem::exists(path)) {
    throw Unusable(fmt::format(
        "started by {}'s launcher, but its module is missing ({}); copy it along with the program, or install "
        "{} and rebuild, or start without a launcher and with --ranks N",
        name, path.string(), name == "mpich" ? "libmpich-dev" : "libopenmpi-dev"));
  }
  void* module = open_globally(path.c_str());
  if (module == nullptr) {
    const std::string reason = ::dlerror();
    if (load_library(name)) module = open_globally(path.c_str());
    if (module == nullptr)
      throw Unusable(fmt::format(
          "cannot load the MPI module: {}; set LD_LIBRARY_PATH to the folder of {}'s library, as 'module load' does",
          reason, name));
  }
  using Get = const MpiApi* (*)();
  const auto get = reinterpret_cast<Get>(::dlsym(module, mpi_api_symbol));
  if (get == nullptr || get()->abi != MpiApi::current_abi) {
    throw Unusable(
        fmt::format("{} is from a different version; build and install programs and modules together", path.string()));
  }
  std::shared_ptr<MpiLibrary> library(new MpiLibrary(name, get()));
  Watchdog watchdog(fmt::format("rank {}", launched_rank()), launched_rank() == 0 ? "the other ranks" : "");
  const auto guard = watchdog.guard("the start of MPI", Deadline::after(timeout), exit_failed);
  const auto& api = library->api();
  library->check(api.initialise(), "MPI_Init_thread");
  // A library that does not know its launcher treats each process as a separate run.
  const int launched = launched_mpi_ranks().value_or(1);
  if (launched > 1 && api.size(api.world()) == 1)
    throw Unusable(
        fmt::format("the launcher started {} ranks, but the MPI library ({}) treats each of them as a separate run: "
                    "launcher and library do not match; start with the library's own mpirun, or without MPI by "
                    "--rendezvous",
                    launched, api.library()));
  return library;
}

std::string mpi_version_text(std::string_view library) {
  library = library.substr(0, library.find_first_of(",\n"));
  std::string text;
  std::string_view separator;
  for (const auto& word : split_at(library, ' ')) {
    if (word.empty() || word == ":" || word == "Version" || word == "Version:") continue;
    text.append(separator).append(word);
    separator = " ";
  }
  return text;
}

void MpiLibrary::check(int code, std::string_view call) const {
  if (code == 0) return;
  std::array<char, 512> text;
  api_->error_text(code, text.data(), text.size());
  throw TransportError(fmt::format("{}: {}", call, text.data()));
}

}  // namespace ringmark

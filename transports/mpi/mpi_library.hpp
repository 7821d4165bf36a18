// Which MPI started this process, and its module.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transports/mpi/mpi_api.hpp"

namespace ringmark {

/// The launcher, according to environment variables: "mpich" (PMI), "openmpi" (OMPI_… or PMIX_…), or empty if there is
/// none. RINGMARK_MPI=mpich|openmpi|none overrides it.
std::string_view detect_mpi();
/// "MPICH 4.0.2", "Open MPI v4.1.4": name and version from the text of MPI_Get_library_version.
std::string mpi_version_text(std::string_view library);

/// An opened module, initialised for this process. MPI can be started once per process.
class MpiLibrary {
 public:
  /// Throws Unusable, with the remedy, if the module is missing or cannot be loaded, or if MPI treats this rank as a
  /// run of its own although the launcher started several. Exits with status 3 if MPI does not start within the
  /// timeout, for example because one of its ranks has already exited.
  static std::shared_ptr<MpiLibrary> open(std::string_view name, std::chrono::milliseconds timeout);

  std::string_view name() const { return name_; }
  const MpiApi& api() const { return *api_; }
  /// Throws TransportError with MPI's text if `code` is an error.
  void check(int code, std::string_view call) const;

 private:
  MpiLibrary(std::string_view name, const MpiApi* api) : name_(name), api_(api) {}
  std::string name_;
  const MpiApi* api_;
};

}  // namespace ringmark

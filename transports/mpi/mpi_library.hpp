// Which MPI started this process, and its module.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transports/mpi/mpi_api.hpp"

namespace ringmark {

/// The launcher, by its variables in the environment: "mpich" (PMI), "openmpi" (OMPI_… or PMIX_…), or empty without
/// one. RINGMARK_MPI=mpich|openmpi|none overrules.
std::string_view detect_mpi();
/// "MPICH 4.0.2", "Open MPI v4.1.4": the name and the version in the text of MPI_Get_library_version.
std::string mpi_version_text(std::string_view library);

/// An opened module, initialised for this process. MPI can be started once in a process's life.
class MpiLibrary {
 public:
  /// Throws Unusable if the module is missing or cannot be loaded, or if MPI sees this rank alone though the launcher
  /// started several, with the remedy. Leaves the process with status 3 if MPI does not start within the time-out, as
  /// when one of its ranks has ended already.
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

// Finds and opens libnccl on this machine.
#pragma once

#include <memory>
#include <string>

#include "transports/nccl/api.hpp"

namespace ringmark {

/// The functions, or the reason why they are missing.
struct NcclLibrary {
  std::shared_ptr<const NcclApi> api;
  std::string why_not;
  std::string path;  ///< the file that was opened
  int version = 0;   ///< ncclGetVersion's number: 22809

  std::string version_text() const;  ///< "2.28.9"
};

/// Opens `path`; if that is empty, the dynamic loader's libnccl.so.2, or otherwise a copy in a Python environment
/// (VIRTUAL_ENV, CONDA_PREFIX, those in PATH, the system's). It initialises nothing, so a process may call it before it
/// forks.
NcclLibrary open_nccl(const std::string& path);

}  // namespace ringmark

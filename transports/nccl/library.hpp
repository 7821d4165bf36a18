// libnccl as it is found on this machine.
#pragma once

#include <memory>
#include <string>

#include "transports/nccl/api.hpp"

namespace ringmark {

/// Either the functions or the reason why there are none.
struct NcclLibrary {
  std::shared_ptr<const NcclApi> api;
  std::string why_not;
  std::string path;  ///< the file that was opened
  int version = 0;   ///< as ncclGetVersion has it: 22809

  std::string version_text() const;  ///< "2.28.9"
};

/// Opens `path`; if that is empty, libnccl.so.2 as the loader finds it, or the newest copy in a Python environment
/// (VIRTUAL_ENV, CONDA_PREFIX, the system's). Nothing is initialised: a process that forks may ask.
NcclLibrary open_nccl(const std::string& path);

}  // namespace ringmark

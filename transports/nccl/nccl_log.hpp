// NCCL's log of this process, written to memory instead of the terminal, so that the program can read it.
#pragma once

#include <string>

#include "base/system/file_descriptor.hpp"
#include "transports/nccl/library.hpp"

namespace ringmark {

/// Construct before the first NCCL call. It overwrites NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE of this
/// process; if NCCL_DEBUG was set, take() prints the requested lines on standard error.
class NcclLog {
 public:
  explicit NcclLog(const NcclApi& api);

  /// While it listens, NCCL logs its choice for each call, which takes microseconds, so do not time such calls. If the
  /// library lacks reset_debug, only its start is logged.
  void listen(bool on);
  /// The complete lines logged since the last call.
  std::string take();

 private:
  bool shows(std::string_view line) const;

  const NcclApi& api_;
  FileDescriptor file_;
  std::string asked_;    ///< the user's NCCL_DEBUG, in upper case
  std::string pending_;  ///< read before the file was emptied
  std::size_t read_bytes_ = 0;
};

}  // namespace ringmark

// NCCL's log of this process, which the program reads: it goes to memory rather than to the terminal.
#pragma once

#include <string>

#include "base/system/file_descriptor.hpp"
#include "transports/nccl/library.hpp"

namespace ringmark {

/// To be made before the library's first call. Takes over NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE of this
/// process; if NCCL_DEBUG was set, the lines that it asks for go to standard error when they are read.
class NcclLog {
 public:
  explicit NcclLog(const NcclApi& api);

  /// While it listens, NCCL logs what it chooses in each call, which costs microseconds: not to be timed. A library
  /// that cannot switch logs the start alone.
  void listen(bool on);
  /// What was logged since the last call, in whole lines.
  std::string take();

 private:
  bool shows(std::string_view line) const;

  const NcclApi& api_;
  FileDescriptor file_;
  std::string asked_;    ///< NCCL_DEBUG as the user has it
  std::string pending_;  ///< read before the file was emptied
  std::size_t read_bytes_ = 0;
};

}  // namespace ringmark

// Parses what a launcher prints when one of its processes dies: often nothing else names the host.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/lost_rank.hpp"

namespace ringmark::sweep {

/// A lost rank, as the surviving ranks name it or as the launcher reports it.
struct LostProcess {
  LostProcess() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a lost rank is a lost process with more details
  LostProcess(const LostRank& lost) : host(lost.host), rank(lost.rank), reason(lost.reason) {}

  std::string host;             ///< its name or address, as reported
  std::optional<int> rank{};    ///< hydra may not report it
  std::string reason;           ///< "its connection closed", "killed by signal 9 (Killed)"
  std::optional<int> signal{};  ///< the signal that ended it

  bool operator==(const LostProcess&) const = default;
};

/// "rank 2 on node3", "a rank on node3"
std::string place_in_words(const LostProcess& lost);
/// "lost a rank on node3: killed by signal 9 (Killed)"
std::string in_words(const LostProcess& lost);

/// The first process that a signal or the kernel's memory limit killed, according to hydra (MPICH, Intel MPI), Open
/// MPI, srun or torchrun. Empty if another process exited with a status before that: the launcher itself then kills the
/// others.
std::optional<LostProcess> death_in(std::string_view log);

}  // namespace ringmark::sweep

// Deletes launches from a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "history/store/store.hpp"

namespace ringmark::history {

/// Launches and verdicts that meet all conditions; empty ones select everything.
struct Forgotten {
  std::string cluster, launch;  ///< `launch` is its key
  std::optional<std::chrono::sys_seconds> before;
};

struct ForgottenCount {
  std::uint64_t launches = 0, rows = 0, verdicts = 0;
  std::optional<std::chrono::sys_seconds> first, last;  ///< of the launches
};

/// What forget() would delete.
ForgottenCount count_forgotten(Store& store, const Forgotten& which);

/// Deletes them in one transaction. The files they came from may be added again.
ForgottenCount forget(Store& store, const Forgotten& which);

}  // namespace ringmark::history

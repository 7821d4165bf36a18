// We define no options for MPI: its libraries read their own variables.
#pragma once

#include "base/flags/option.hpp"
#include "base/memory_kind.hpp"
#include "base/transport.hpp"

namespace ringmark {

struct MpiOptions {
  static constexpr auto transport = Transport::mpi;

  MemoryKind memory_kind() const { return MemoryKind::host; }
  static const OptionTable<MpiOptions>& table() {
    static const OptionTable<MpiOptions> none({});
    return none;
  }
};

}  // namespace ringmark

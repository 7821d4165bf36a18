#include "base/transport.hpp"

#include <algorithm>
#include <array>

namespace ringmark {
namespace {

constexpr std::array transports{Transport::tcp, Transport::verbs, Transport::nccl, Transport::mpi};

}  // namespace

std::span<const Transport> all_transports() { return transports; }

const TransportFacts& facts_of(Transport transport) {
  static constexpr TransportFacts tcp{.name = "tcp"}, verbs{.name = "verbs"},
      nccl{.name = "nccl",
           .library = "NCCL",
           .algorithm_variable = "NCCL_ALGO",
           .variables = "NCCL_",
           .computes_on_gpu = true},
      mpi{.name = "mpi", .library = "the MPI library", .needs_mpi = true};
  switch (transport) {
    case Transport::tcp:
      return tcp;
    case Transport::verbs:
      return verbs;
    case Transport::nccl:
      return nccl;
    case Transport::mpi:
      break;
  }
  return mpi;
}

std::string_view name(Transport transport) { return facts_of(transport).name; }

std::optional<Transport> parse_transport(std::string_view text) {
  const auto found = std::find_if(transports.begin(), transports.end(), [&](auto each) { return name(each) == text; });
  return found == transports.end() ? std::nullopt : std::optional(*found);
}

bool has_own_schedules(Transport transport) { return facts_of(transport).library.empty(); }

std::optional<Transport> only_reader_of(std::string_view variable) {
  const auto found = std::find_if(transports.begin(), transports.end(), [&](auto each) {
    const auto prefix = facts_of(each).variables;
    return !prefix.empty() && variable.starts_with(prefix);
  });
  return found == transports.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ringmark

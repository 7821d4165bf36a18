#include "base/transport.hpp"

#include <algorithm>

namespace ringmark {

const TransportFacts& facts_of(Transport transport) {
  static constexpr TransportFacts tcp{
      .name = "tcp", .connections_option = "tcp.sockets", .interfaces_option = "tcp.interface"},
      verbs{.name = "verbs", .connections_option = "verbs.queue_pairs"},
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
  const auto found =
      std::find_if(every_transport.begin(), every_transport.end(), [&](auto each) { return name(each) == text; });
  return found == every_transport.end() ? std::nullopt : std::optional(*found);
}

bool has_own_schedules(Transport transport) { return facts_of(transport).library.empty(); }

std::optional<Transport> only_reader_of(std::string_view variable) {
  const auto found = std::find_if(every_transport.begin(), every_transport.end(), [&](auto each) {
    const auto prefix = facts_of(each).variables;
    return !prefix.empty() && variable.starts_with(prefix);
  });
  return found == every_transport.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ringmark

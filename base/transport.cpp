#include "base/transport.hpp"

#include <algorithm>
#include <array>

namespace ringmark {
namespace {

constexpr std::array transports{Transport::tcp, Transport::verbs, Transport::nccl, Transport::mpi};

}  // namespace

std::span<const Transport> all_transports() { return transports; }

std::string_view name(Transport transport) {
  switch (transport) {
    case Transport::tcp:
      return "tcp";
    case Transport::verbs:
      return "verbs";
    case Transport::nccl:
      return "nccl";
    case Transport::mpi:
      return "mpi";
  }
  return "";
}

std::optional<Transport> parse_transport(std::string_view text) {
  const auto found = std::find_if(transports.begin(), transports.end(), [&](auto each) { return name(each) == text; });
  return found == transports.end() ? std::nullopt : std::optional(*found);
}

bool has_own_schedules(Transport transport) { return transport == Transport::tcp || transport == Transport::verbs; }

}  // namespace ringmark

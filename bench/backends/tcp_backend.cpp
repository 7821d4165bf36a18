#include "bench/backends/tcp_backend.hpp"

#include <fmt/format.h>

#include "bench/harness/equipment.hpp"
#include "bench/harness/pinning.hpp"
#include "transports/exchange.hpp"
#include "transports/fabric/tcp/tcp_fabric.hpp"

namespace ringmark {
namespace {

struct PinningResult {
  bool has_sticky_core = false;
  std::string ignored;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PinningResult, has_sticky_core, ignored)

}  // namespace

void TcpBackend::open(Bootstrap& bootstrap, const RunOptions& options, const Equipment& equipment) {
  way_out_ = way_out_over_sockets(equipment, ignored_);
  Pinning pinning;
  together(bootstrap, equipment,
           [&] { pinning = pin(options.tcp.pin, equipment.core_share, equipment.endpoint->interface()); });
  sticky_core_ = pinning.sticky_core;
  const PinningResult mine{pinning.sticky_core != nullptr, pinning.ignored};
  for (const auto& result : exchange(bootstrap, "pinning", mine)) {
    if (result.has_sticky_core) ++sticky_ranks_;
    if (ignored_.empty()) ignored_ = result.ignored;
  }
}

std::unique_ptr<Fabric> TcpBackend::make_fabric(const RunOptions& /*options*/, const Equipment& equipment) const {
  return std::make_unique<TcpFabric>(equipment.endpoint, measured_connections);
}

void TcpBackend::describe(std::map<std::string, std::string>& facts, const Equipment& equipment) const {
  ScheduleBackend::describe(facts, equipment);
  if (const auto congestion = equipment.endpoint->congestion(); !congestion.empty())
    facts["congestion control"] = congestion;
  if (sticky_ranks_ > 0)
    facts["cores"] = fmt::format("fewer than ranks; {} keep to one each while vectors are short", sticky_ranks_);
}

}  // namespace ringmark

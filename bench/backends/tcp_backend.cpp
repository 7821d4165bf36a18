#include "bench/backends/tcp_backend.hpp"

#include <fmt/format.h>

#include "bench/harness/pinning.hpp"
#include "bench/harness/rank_resources.hpp"
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

void TcpBackend::open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) {
  way_out_ = way_out_over_sockets(resources, ignored_);
  Pinning pinning;
  together(bootstrap, resources,
           [&] { pinning = pin(options.of<TcpOptions>().pin, resources.core_share, resources.endpoint->interface()); });
  sticky_core_ = pinning.sticky_core;
  const PinningResult mine{pinning.sticky_core != nullptr, pinning.ignored};
  for (const auto& result : exchange(bootstrap, "pinning", mine)) {
    if (result.has_sticky_core) ++sticky_ranks_;
    if (ignored_.empty()) ignored_ = result.ignored;
  }
}

std::unique_ptr<Fabric> TcpBackend::make_fabric(const RunOptions& /*options*/, const RankResources& resources) const {
  return std::make_unique<TcpFabric>(resources.endpoint, measured_connections);
}

void TcpBackend::describe(std::map<std::string, std::string>& facts, const RankResources& resources) const {
  ScheduleBackend::describe(facts, resources);
  if (const auto congestion = resources.endpoint->congestion(); !congestion.empty())
    facts["congestion control"] = congestion;
  if (sticky_ranks_ > 0)
    facts["cores"] =
        fmt::format("fewer than ranks; {} ranks are pinned to one core each while messages are small", sticky_ranks_);
}

}  // namespace ringmark

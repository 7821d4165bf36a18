#include "bench/backends/backend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "bench/harness/rank_resources.hpp"
#include "bench/harness/row.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// How the body ended on a rank.
struct Ending {
  int status = exit_ok;
  std::string problem;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ending, status, problem)

}  // namespace

std::unique_ptr<Fabric> Backend::make_fabric(const RunOptions& options, const RankResources& /*resources*/) const {
  throw Unusable(
      fmt::format("--transport {}: a library moves the bytes, so links cannot be measured", name(options.transport)));
}

void Backend::describe(std::map<std::string, std::string>& /*facts*/, const RankResources& /*resources*/) const {}

void Backend::describe(Record& /*record*/) const {}

std::string Backend::place_of(int rank, const RankResources& resources) const {
  return resources.endpoint->address(rank).text();
}

void Backend::judge(Record& record, const RankResources& resources) {
  if (!ignored_.empty()) mark_ignored(record, ignored_);
  if (record.ranks == 1 && record.busbw_GBps)
    add_remark(record, "one rank: nothing is sent, so bus bandwidth is meaningless");
  if (stays_on_one_lab_host(resources)) record.caveats.emplace_back(OneLabHost{});
}

void together(Bootstrap& bootstrap, const RankResources& resources, const std::function<void()>& body) {
  Ending mine;
  try {
    body();
  } catch (const BadUsage& error) {
    mine = {exit_usage, error.what()};
  } catch (const std::exception& error) {
    mine = {exit_unusable, error.what()};
  }
  const auto endings = exchange(bootstrap, "set-up", mine);
  for (std::size_t rank = 0; rank < endings.size(); ++rank) {
    if (endings[rank].status == exit_ok) continue;
    const auto text = fmt::format("rank {} on {}: {}", rank, resources.places.hosts[rank], endings[rank].problem);
    if (endings[rank].status == exit_usage) throw BadUsage(text);
    throw Unusable(text);
  }
}

int local_rank_of(int rank, const std::vector<std::string>& hosts) {
  const auto own = hosts.begin() + rank;
  return static_cast<int>(std::count(hosts.begin(), own, *own));
}

WayOut way_out_over_sockets(const RankResources& resources, std::string& ignored) {
  // On one host the kernel uses the loopback, whatever address is requested.
  const bool inside = on_one_host(resources.places.hosts);
  const auto& interface = resources.endpoint->interface();
  if (inside && interface != "lo") {
    ignored = fmt::format("tcp.interface={} has no effect on one host: everything goes over lo",
                          resources.endpoint->options().interface);
  }
  auto way_out = way_out_over({inside ? "lo" : interface});
  if (resources.lab && !inside)
    way_out.bits_per_s =
        link_bits_per_s(*resources.lab, resources.places.hosts[static_cast<std::size_t>(resources.endpoint->rank())]);
  return way_out;
}

}  // namespace ringmark

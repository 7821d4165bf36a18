#include "bench/backends/backend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "bench/harness/equipment.hpp"
#include "bench/harness/row.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// How body ended on a rank.
struct Ending {
  int status = exit_ok;
  std::string problem;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ending, status, problem)

}  // namespace

std::unique_ptr<Fabric> Backend::make_fabric(const RunOptions& options, const Equipment& /*equipment*/) const {
  throw Unusable(
      fmt::format("--transport {}: a library moves the bytes, and offers no fabric", name(options.transport)));
}

void Backend::describe(std::map<std::string, std::string>& /*facts*/, const Equipment& /*equipment*/) const {}

void Backend::describe(Record& /*record*/) const {}

std::string Backend::place_of(int rank, const Equipment& equipment) const {
  return equipment.endpoint->address(rank).text();
}

void Backend::judge(Record& record, const Equipment& /*equipment*/) {
  if (!ignored_.empty()) mark_ignored(record, ignored_);
}

void together(Bootstrap& bootstrap, const Equipment& equipment, const std::function<void()>& body) {
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
    const auto text = fmt::format("rank {} on {}: {}", rank, equipment.places.hosts[rank], endings[rank].problem);
    if (endings[rank].status == exit_usage) throw BadUsage(text);
    throw Unusable(text);
  }
}

int local_rank_of(int rank, const std::vector<std::string>& hosts) {
  const auto own = hosts.begin() + rank;
  return static_cast<int>(std::count(hosts.begin(), own, *own));
}

WayOut way_out_over_sockets(const Equipment& equipment, std::string& ignored) {
  // On one host the kernel takes the loopback whatever address is asked for.
  const bool inside = on_one_host(equipment.places.hosts);
  const auto& interface = equipment.endpoint->interface();
  if (inside && interface != "lo") {
    ignored = fmt::format("tcp.interface={} has no effect on one host: everything goes over lo",
                          equipment.endpoint->options().interface);
  }
  return way_out_over({inside ? "lo" : interface});
}

}  // namespace ringmark

#include "bench/link/link_main.hpp"

#include <algorithm>
#include <exception>
#include <memory>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/error_text.hpp"
#include "base/text/printable.hpp"
#include "base/units.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/memory_need.hpp"
#include "bench/harness/startup.hpp"
#include "bench/link/link_end.hpp"
#include "bench/link/link_scan.hpp"
#include "bench/link/rounds.hpp"
#include "bench/link/scan_plan.hpp"
#include "results/files/failure.hpp"
#include "results/files/provenance.hpp"
#include "results/files/rank_hosts.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

/// Opens rank 0's files and tells all ranks whether that succeeded, since ranks in the scan do not notice its failures.
std::unique_ptr<Sink> begin_output(const LinkOptions& options, const RunContext& context,
                                   const RankResources& resources, Bootstrap& bootstrap) {
  std::unique_ptr<Sink> csv;
  std::exception_ptr failure;
  std::string reason;
  if (bootstrap.rank() == 0) {
    try {
      csv = open_files(options, {}, Schema::link);
      const auto world = describe_world(context, options, resources, bootstrap);
      csv->begin(world);
      say("{}", path_in_words(world));
    } catch (const std::exception& error) {
      failure = std::current_exception();
      reason = text_of(error);
    }
  }
  const auto reasons = exchange(bootstrap, "result files", reason);
  if (failure) std::rethrow_exception(failure);
  if (!reasons.front().empty()) throw PeerLost(0, resources.places.hosts.front(), reasons.front());
  return csv;
}

/// Writes the lost ranks to the failures file. A launcher may wait for them forever; whoever reads the file can end it.
void report_lost(const LinkScan& scan, const LinkOptions& options, const std::vector<std::string>& hosts) {
  for (const auto& [rank, why] : scan.lost()) {
    const LostRank lost{rank, hosts[static_cast<std::size_t>(rank)], why};
    append_failure(options.failures_path,
                   {0, hosts.front(), exit_failed, "the scan continued to its end: " + in_words(lost), lost});
  }
}

int run_rank(const LinkOptions& options, const RunContext& context, Bootstrap& bootstrap,
             const std::shared_ptr<MpiLibrary>& library) {
  if (bootstrap.size() < 2) throw BadUsage("a link has two ends: start at least two ranks");
  if (auto problem = problem_of(options, bootstrap.size())) throw BadUsage(*std::move(problem));
  const auto& pairs = options.pairs;
  for (const auto& sizes : {options.latency_sizes, options.bandwidth_sizes}) {
    const auto largest = *std::max_element(sizes.begin(), sizes.end());
    const int messages = std::max(pairs.senders, 1);
    require_memory(bootstrap, static_cast<double>(largest) * messages, fmt::format("size {}", format_size(largest)),
                   "give smaller --sizes");
  }
  auto resources = make_rank_resources(bootstrap, options, library);
  const auto& hosts = resources.places.hosts;
  if (pairs.rails > 1 && !are_rails(hosts, pairs.rails))
    throw BadUsage(
        Problem{.flag = "--rails",
                .value = std::to_string(pairs.rails),
                .text = fmt::format("the ranks are on {}, but --rails needs {} consecutive ones on each host",
                                    rank_hosts_text(hosts), pairs.rails),
                .remedy = "start one rank per NIC, host by host, as with mpirun.mpich -ppn or srun -m block"});
  const int status = run_and_tell(resources, [&] {
    const auto csv = begin_output(options, context, resources, bootstrap);
    // The scan continues without a lost rank.
    resources.endpoint->keep_losses_apart();
    if (bootstrap.rank() == 0) {
      LinkScan scan(options, resources, context.run_id, csv.get());
      const int scanned = scan.run();
      report_lost(scan, options, hosts);
      return scanned;
    }
    ScanLine rank_0(resources.endpoint, 0, options.timeout);
    return LinkEnd(options, resources).serve(rank_0);
  });
  if (status != exit_failed) bootstrap.barrier();
  return status;
}

}  // namespace

int link_main(int argc, const char* const* argv) {
  const auto parsed = parse_link_options(argc, argv);
  const auto& options = parsed.options;
  const auto outcome = check_command_line(parsed, [&]() -> std::optional<int> {
    if (!has_own_schedules(options.transport))
      throw Unusable(fmt::format("--transport {}: ringmark-link measures only tcp and verbs", name(options.transport)));
    if (options.explain) {
      fmt::print("{}", explain_scan(options, *options.ranks));
      return exit_ok;
    }
    if (own_rank(options) == 0) open_files(options, {}, Schema::link);
    return std::nullopt;
  });
  const auto context = describe_run("ringmark link", argc, argv, options.run_id);
  return run_ranks(outcome, options, argc, argv, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    return run_rank(options, context, bootstrap, library);
  });
}

}  // namespace ringmark

#include "bench/mix/mix_main.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/surrounding_lab.hpp"
#include "base/text/printable.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/memory_need.hpp"
#include "bench/harness/startup.hpp"
#include "bench/mix/mix_file.hpp"
#include "bench/mix/mix_report.hpp"
#include "bench/mix/mix_session.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::mix {
namespace {

std::vector<MixGroup> groups_of(const Mix& mix, const MixOptions& options, int ranks) {
  auto groups = with_ranks(mix.groups, ranks, options.seed);
  for (auto& group : groups) {
    if (!group.transport) group.transport = options.transport;
  }
  refuse_groups_that_share_a_gpu(groups);
  return groups;
}

/// Fraction of a link's bytes that is payload rather than headers, on Ethernet with an MTU of 1500 and TCP time stamps.
constexpr double payload_share = 1448.0 / 1514.0;

/// The file's links, and the hosts' own links if the file has their rate; if there are none, those that the lab
/// reports.
std::vector<CutLink> links_of(const Mix& mix, const std::vector<std::string>& hosts) {
  auto links = mix.links;
  if (mix.host_bits_per_s) {
    for (const auto& host : std::set<std::string>(hosts.begin(), hosts.end()))
      links.push_back({host, {host}, *mix.host_bits_per_s / 8});
  }
  if (const auto lab = surrounding_lab(); lab && links.empty()) {
    for (const auto& link : lab->links) links.push_back({link.name, link.hosts, link.bits_per_s / 8});
  }
  for (auto& link : links) link.bytes_per_s *= payload_share;
  return links;
}

void require_memory_for(Bootstrap& bootstrap, const std::vector<MixGroup>& groups) {
  double bytes = 0;
  for (const auto& group : groups) {
    const auto found = std::lower_bound(group.ranks.begin(), group.ranks.end(), bootstrap.rank());
    if (found == group.ranks.end() || *found != bootstrap.rank()) continue;
    const auto layout = layout_of(group.operation(), static_cast<int>(group.ranks.size()),
                                  static_cast<int>(found - group.ranks.begin()));
    bytes += static_cast<double>(layout.send_bytes + layout.recv_bytes);
  }
  require_memory(bootstrap, bytes, "the mix", "give smaller sizes");
}

int run_rank(const MixOptions& options, const RunContext& context, Bootstrap& bootstrap,
             const std::shared_ptr<MpiLibrary>& library) {
  const auto mix = read_mix(options.file);
  const auto groups = groups_of(mix, options, bootstrap.size());
  require_memory_for(bootstrap, groups);
  Resources resources;
  for (const auto& group : groups) {
    if (resources.contains(path_of(group))) continue;
    auto of_transport = static_cast<const RunOptions&>(options);
    of_transport.transport = *group.transport;
    resources.emplace(path_of(group), make_rank_resources(bootstrap, of_transport, library));
  }
  auto& first = resources.begin()->second;
  const int status = run_and_tell(first, [&] {
    std::unique_ptr<Sink> sink;
    if (bootstrap.rank() == 0) {
      sink = open_files(options, {});
      const auto world = describe_world(context, options, first, bootstrap);
      sink->begin(world);
      say("{}", path_in_words(world));
    }
    MixSession session(options, groups, links_of(mix, first.places.hosts), resources, context.run_id, sink.get());
    const int measured = session.run();
    if (bootstrap.rank() == 0) say("{}", in_words(session.results()));
    return measured;
  });
  bootstrap.barrier();  // so that no rank closes connections that others still read from
  return status;
}

}  // namespace

int mix_main(int argc, const char* const* argv) {
  const auto parsed = parse_mix_options(argc, argv);
  const auto& options = parsed.options;
  const auto outcome = check_command_line(parsed, [&]() -> std::optional<int> {
    const auto mix = read_mix(options.file);
    if (options.ranks) groups_of(mix, options, *options.ranks);
    for (const auto& group : mix.groups) check_backend(options, group.transport.value_or(options.transport));
    if (own_rank(options) == 0) open_files(options, {});
    return std::nullopt;
  });
  const auto context = describe_run("ringmark mix", argc, argv, options.run_id);
  return run_ranks(outcome, options, argc, argv, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    return run_rank(options, context, bootstrap, library);
  });
}

}  // namespace ringmark::mix

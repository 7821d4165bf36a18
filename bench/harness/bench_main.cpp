#include "bench/harness/bench_main.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "bench/flags/options.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/memory_need.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/startup.hpp"
#include "bench/harness/transports.hpp"
#include "results/console_sink.hpp"
#include "results/provenance.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/choice.hpp"
#include "transports/schedules/explain.hpp"

namespace ringmark {
namespace {

std::unique_ptr<Sink> make_sink(const BenchOptions& options) {
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(open_files(options.csv_path, options.samples_path));
  sinks.push_back(make_console_sink(stdout, options.in_place));
  return std::make_unique<TeeSink>(std::move(sinks));
}

/// The two buffers, or of a GPU's an image of one; and the samples that are kept until their row is written.
void require_memory(Bootstrap& bootstrap, Collective collective, const BenchOptions& options) {
  const auto sizes = options.sizes.sizes();
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  const auto ranks = static_cast<std::size_t>(bootstrap.size());
  const Operation operation{collective, DataType::uint8, ReduceOp::sum,
                            count_for(collective, DataType::uint8, bootstrap.size(), largest)};
  const auto layout = layout_of(operation, bootstrap.size());
  const auto send = static_cast<double>(layout.send_bytes), recv = static_cast<double>(layout.recv_bytes);
  require_memory(bootstrap, options.memory_kind() == MemoryKind::host ? send + recv : std::max(send, recv),
                 fmt::format("size {}", format_size(largest)), "give a smaller --max-bytes or start fewer ranks there");
  if (!options.iterations || options.timing == Timing::batch) return;
  constexpr std::size_t on_rank0 = 2 * sizeof(double), everywhere = 4 * sizeof(double);
  const auto per_iteration = everywhere + (bootstrap.rank() == 0 ? ranks * on_rank0 : 0);
  require_memory(bootstrap, static_cast<double>(*options.iterations) * static_cast<double>(per_iteration),
                 fmt::format("--iters {}", *options.iterations), "give fewer, or --timing batch");
}

int run_rank(Collective collective, const BenchOptions& options, const RunContext& context, Bootstrap& bootstrap,
             const std::shared_ptr<MpiLibrary>& library) {
  require_memory(bootstrap, collective, options);
  auto resources = make_rank_resources(bootstrap, options, library);
  const int status = run_and_tell(resources, [&] {
    const auto communicator = make_communicator(resources, options, options.algorithm);
    std::unique_ptr<Sink> sink;
    if (bootstrap.rank() == 0) {
      sink = make_sink(options);
      auto full = describe_world(context, options, resources, bootstrap);
      if (const auto link = resources.backend->link(); link && options.algorithm == "auto")
        full.facts["auto"] = AlgorithmChoice(topology_of(resources.places.hosts), *link).crossovers(collective);
      full.facts["timing"] = options.timing == Timing::each ? "each (the median of single operations)"
                                                            : "batch (the mean of operations back to back)";
      full.facts["sizes"] = fmt::format("{} B", fmt::join(options.sizes.sizes(), ", "));
      sink->begin(full);
    }
    Session session(collective, options, resources, *communicator, context.run_id, sink.get());
    const int measured = session.run();
    if (sink) sink->finish();
    if (sink && measured == exit_unusable) complain("nothing was measured: no row is supported, as their details say");
    return measured;
  });
  bootstrap.barrier();  // nobody closes connections that others still read from
  return status;
}

int explain_schedule(Collective collective, const BenchOptions& options) {
  if (!options.ranks) {
    complain("--explain: give the number of ranks with --ranks N");
    return exit_usage;
  }
  const int ranks = *options.ranks;
  const auto type = options.datatypes.front();
  const Operation operation{collective, type, options.ops.front(),
                            count_for(collective, type, ranks, options.sizes.sizes().front())};
  const auto total_bytes = layout_of(operation, ranks).total_bytes;
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / options.ranks_per_node.value_or(ranks));
  const auto topology = Topology::nodes(nodes);
  const auto given = make_backend(options.transport)->given_link(options);
  const auto link = given.value_or(assumed_link);
  // Where nothing is said of nodes, auto is shown as it chooses between hosts.
  const AlgorithmChoice choice(options.ranks_per_node ? topology : Topology::flat(ranks), link);
  const auto algorithm =
      options.algorithm != "auto" ? std::string_view(options.algorithm) : choice.choose(collective, total_bytes);
  const auto schedule = make_schedule(collective, algorithm, topology);
  if (options.algorithm == "auto") {
    fmt::print("auto, if {}{}:\n", describe(link), given ? "" : " (a run measures its own link)");
    for (const auto& candidate : choice.candidates(collective, total_bytes)) {
      fmt::print("  {:18} {:12.1f} us{}\n", candidate.algorithm, candidate.time_us,
                 candidate.algorithm == algorithm ? "  <- chosen" : "");
    }
    fmt::print("  by size: {}\n\n", choice.crossovers(collective));
  }
  fmt::print("{}", explain(*schedule, operation));
  return exit_ok;
}

}  // namespace

int bench_main(Collective collective, int argc, const char* const* argv) {
  const auto parsed = parse_options(collective, argc, argv);
  const auto& options = parsed.options;
  const auto own_checks = [&] {
    if (options.explain) return std::optional(explain_schedule(collective, options));
    if (own_rank(options) == 0) make_sink(options);  // a file that cannot be written is found before any rank starts
    return std::optional<int>();
  };
  const auto outcome = check_command_line(parsed, own_checks);
  const auto context = describe_run(fmt::format("ringmark {}", name(collective)), argc, argv, options.run_id);
  return run_ranks(outcome, options, argc, argv, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    return run_rank(collective, options, context, bootstrap, library);
  });
}

}  // namespace ringmark

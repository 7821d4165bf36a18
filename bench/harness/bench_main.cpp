#include "bench/harness/bench_main.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "bench/flags/make_counts.hpp"
#include "bench/flags/options.hpp"
#include "bench/harness/algorithms_file.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/memory_need.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/startup.hpp"
#include "bench/harness/transports.hpp"
#include "results/files/console_sink.hpp"
#include "results/files/nccl_tests_sink.hpp"
#include "results/files/provenance.hpp"
#include "transports/exchange.hpp"
#include "transports/schedules/catalogue.hpp"
#include "transports/schedules/choice.hpp"
#include "transports/schedules/explain.hpp"

namespace ringmark {
namespace {

NcclTestsConfig config_of(const BenchOptions& options, int nccl_version) {
  const auto sizes = options.sizes.sizes();
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  const bool is_list = !options.sizes.list.empty(), is_by_bytes = options.sizes.step_bytes.has_value();
  return {.min_bytes = *least,
          .max_bytes = *most,
          .step_factor = is_list || is_by_bytes ? std::nullopt : std::optional(options.sizes.factor),
          .step_bytes = is_list ? std::nullopt : options.sizes.step_bytes,
          .warmup = options.warmup,
          .iterations = options.iterations,
          .is_checked = options.check,
          .timing = options.timing,
          .is_graph = options.of<NcclOptions>().graph,
          .nccl_version = nccl_version};
}

std::unique_ptr<Sink> make_sink(const BenchOptions& options, int nccl_version = 0) {
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(open_files(options, options.samples_path));
  sinks.push_back(options.format == OutputFormat::nccl_tests_json
                      ? make_nccl_tests_sink(stdout, config_of(options, nccl_version), options.in_place)
                      : make_console_sink(stdout, options.in_place));
  return std::make_unique<TeeSink>(std::move(sinks));
}

/// The maximum host memory that a rank needs at a time: its two buffers, or a copy of one if they are on a GPU. Kinds
/// of groups take turns.
double buffer_bytes(Collective collective, const BenchOptions& options, std::size_t size, int rank, int ranks) {
  const auto bytes_of = [&](int own, int members) {
    const auto operation = operation_for(collective, options, DataType::uint8, ReduceOp::sum, members, size);
    const auto layout = layout_of(operation, members, own);
    const auto send = static_cast<double>(layout.send_bytes), recv = static_cast<double>(layout.recv_bytes);
    return options.memory_kind() == MemoryKind::host ? send + recv : std::max(send, recv);
  };
  if (!options.groups) return bytes_of(rank, ranks);
  double most = 0;
  for (const auto& kind : group_kinds(*options.groups, ranks)) {
    const auto group = kind.group_of(rank);
    if (!group) continue;
    const auto& members = kind.groups[*group];
    const auto own = std::find(members.begin(), members.end(), rank) - members.begin();
    most = std::max(most, bytes_of(static_cast<int>(own), static_cast<int>(members.size())));
  }
  return most;
}

/// The buffers, and the samples that are kept until their row is written.
void require_memory(Bootstrap& bootstrap, Collective collective, const BenchOptions& options) {
  const auto sizes = options.sizes.sizes();
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  const auto ranks = static_cast<std::size_t>(bootstrap.size());
  require_memory(bootstrap, buffer_bytes(collective, options, largest, bootstrap.rank(), bootstrap.size()),
                 fmt::format("size {}", format_size(largest)), "give a smaller --max-bytes or start fewer ranks there");
  if (!options.iterations || options.timing == Timing::batch) return;
  constexpr std::size_t on_rank0 = 2 * sizeof(double), everywhere = 4 * sizeof(double);
  const auto per_iteration = everywhere + (bootstrap.rank() == 0 ? ranks * on_rank0 : 0);
  require_memory(bootstrap, static_cast<double>(*options.iterations) * static_cast<double>(per_iteration),
                 fmt::format("--iters {}", *options.iterations), "give fewer, or --timing batch");
}

/// FNV-1a, which detects accidents but not attacks.
std::uint64_t digest_of(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const auto number : numbers) digest = (digest ^ number) * 0x100000001b3;
  return digest;
}

/// A file may differ between hosts, and so may the C library's logarithms.
void require_same_counts(Bootstrap& bootstrap, const BenchOptions& options) {
  if (!options.counts) return;
  const auto all = exchange(bootstrap, "counts", digest_of(basis_of(*options.counts, bootstrap.size())));
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto each) { return each != all.front(); });
  if (other == all.end()) return;
  const bool is_file = std::holds_alternative<CountsFile>(*options.counts);
  throw BadUsage(Problem{.flag = "--counts",
                         .value = options.counts_text,
                         .text = fmt::format("rank {} {} different counts than rank 0", other - all.begin(),
                                             is_file ? "reads" : "has another C library and computes"),
                         .remedy = is_file ? "use the same file on all hosts" : "give the counts in a file"});
}

/// All ranks together, or each kind of groups in turn.
int measure_all(Collective collective, const BenchOptions& options, RankResources& resources,
                Communicator& communicator, const std::string& run_id, Sink* sink) {
  if (!options.groups) return Session(collective, options, resources, communicator, run_id, sink).run();
  const int rank = communicator.rank();
  int worst = exit_unusable;
  bool anything_measured = false;
  for (const auto& kind : group_kinds(*options.groups, communicator.size())) {
    const auto own = kind.group_of(rank);
    const auto members = own ? kind.groups[*own] : std::vector<int>{rank};
    const auto group = communicator.split(members, Deadline::after(options.timeout));
    const int status = Session(collective, options, resources, *group, run_id, sink, &kind).run();
    if (status == exit_unusable) continue;
    worst = anything_measured ? std::max(worst, status) : status;
    anything_measured = true;
  }
  return worst;
}

int run_rank(Collective collective, const BenchOptions& options, const RunContext& context, Bootstrap& bootstrap,
             const std::shared_ptr<MpiLibrary>& library) {
  if (const auto why = why_not_for(collective, options, bootstrap.size())) throw BadUsage(*why);
  require_same_counts(bootstrap, options);
  require_memory(bootstrap, collective, options);
  auto resources = make_rank_resources(bootstrap, options, library);
  const int status = run_and_tell(resources, [&] {
    const auto communicator = make_communicator(resources, options, options.algorithm);
    std::unique_ptr<Sink> sink;
    if (bootstrap.rank() == 0) {
      sink = make_sink(options, resources.backend->nccl_version());
      auto full = describe_world(context, options, resources, bootstrap);
      if (const auto link = resources.backend->link(); link && options.algorithm == "auto")
        full.facts["auto"] =
            fmt::format("the model expects {}; candidates are timed before each size",
                        AlgorithmChoice(topology_of(resources.places.hosts), *link).crossovers(collective));
      full.facts["timing"] = options.timing == Timing::each ? "each (median of single operations)"
                                                            : "batch (mean of back-to-back operations)";
      if (options.start == Start::window) full.facts["start"] = "window (all ranks start at an agreed time)";
      full.facts["sizes"] = fmt::format("{} B", fmt::join(options.sizes.sizes(), ", "));
      sink->begin(full);
    }
    const int measured = measure_all(collective, options, resources, *communicator, context.run_id, sink.get());
    if (sink) sink->finish();
    if (sink && measured == exit_unusable)
      complain("nothing was measured: all rows are unsupported; their detail column gives the reasons");
    return measured;
  });
  bootstrap.barrier();  // so that no rank closes connections that others still read from
  return status;
}

int explain_schedule(Collective collective, const BenchOptions& options) {
  if (!options.ranks) {
    complain("--explain: give the number of ranks with --ranks N");
    return exit_usage;
  }
  const int ranks = *options.ranks;
  const auto type = options.datatypes.front();
  const auto operation =
      operation_for(collective, options, type, options.ops.front(), ranks, options.sizes.sizes().front());
  const auto total_bytes = largest_buffer_bytes(operation, ranks);
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / options.ranks_per_node.value_or(ranks));
  const auto topology = Topology::nodes(nodes);
  const auto given = make_backend(options.transport)->given_link(options);
  const auto link = given.value_or(assumed_link);
  // Without a number of nodes, show what auto chooses between hosts.
  const AlgorithmChoice choice(options.ranks_per_node ? topology : Topology::flat(ranks), link);
  const auto algorithm =
      options.algorithm != "auto" ? std::string_view(options.algorithm) : choice.choose(collective, total_bytes);
  const auto schedule = make_schedule(collective, algorithm, topology, options.root, options.pattern);
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
    if (own_rank(options) == 0) {  // detect an unusable file before any rank starts
      make_sink(options);
      check_algorithms_file(options);
    }
    return std::optional<int>();
  };
  const auto outcome = check_command_line(parsed, own_checks);
  const auto context = describe_run(fmt::format("ringmark {}", name(collective)), argc, argv, options.run_id);
  return run_ranks(outcome, options, argc, argv, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    return run_rank(collective, options, context, bootstrap, library);
  });
}

}  // namespace ringmark

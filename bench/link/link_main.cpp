#include "bench/link/link_main.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "bench/flags/link_options.hpp"
#include "bench/flags/run_options.hpp"
#include "bench/harness/launch.hpp"
#include "bench/harness/memory_need.hpp"
#include "bench/harness/path_proof.hpp"
#include "bench/harness/row.hpp"
#include "bench/harness/startup.hpp"
#include "bench/harness/summary.hpp"
#include "bench/harness/transports.hpp"
#include "bench/link/link_measure.hpp"
#include "bench/link/link_report.hpp"
#include "results/provenance.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

class LinkSession {
 public:
  LinkSession(const LinkOptions& options, RankResources& resources, RunId run_id, Sink* csv)
      : options_(options),
        resources_(resources),
        fabric_(resources.backend->make_fabric(options, resources)),
        run_id_(std::move(run_id)),
        csv_(csv) {}

  int run() {
    const int ranks = resources_.control->size();
    if (is_rank0()) print(link_header());
    for (const auto test : options_.tests) {
      for (const auto bytes : test == LinkTest::latency ? options_.latency_sizes : options_.bandwidth_sizes) {
        for (int source = 0; source < (options_.all_pairs ? ranks : 1); ++source) {
          for (int destination = 0; destination < (options_.all_pairs ? ranks : 2); ++destination) {
            if (source != destination) measure_pair(test, source, destination, bytes);
          }
        }
      }
    }
    if (is_rank0()) {
      const auto findings = judge_links(records_, ranks, resources_.core_share.is_tight());
      print(in_words(findings, resources_.places.hosts) + link_matrices(findings, records_, ranks));
    }
    return wrong_ ? exit_wrong : exit_ok;
  }

 private:
  bool is_rank0() const { return resources_.control->rank() == 0; }
  static void print(const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  Record describe(LinkTest test, int source, int destination, std::size_t bytes) const {
    Record record = describe_row(options_, resources_, run_id_);
    record.schema = Schema::link;
    record.collective = test;
    record.datatype = DataType::uint8;
    record.timing = test == LinkTest::bandwidth ? Timing::batch : Timing::each;
    record.size_bytes = record.count = bytes;
    record.nodes = is_within_host(source, destination) ? 1 : 2;
    record.link = {source, destination};
    return record;
  }

  void measure_pair(LinkTest test, int source, int destination, std::size_t bytes) {
    auto record = describe(test, source, destination, bytes);
    record_failure(csv_, record, [&] { measure_into(record, test, source, destination, bytes); });
    if (!is_rank0()) return;
    print(link_line(record));
    if (csv_ != nullptr) csv_->add(record, {});
    records_.push_back(std::move(record));
  }

  /// The two ends measure while the others wait; then rank 0 gets what the source has.
  void measure_into(Record& record, LinkTest test, int source, int destination, std::size_t bytes) {
    auto& control = *resources_.control;
    const int rank = control.rank();
    LinkPlan plan{test, source, destination, bytes, options_, [](bool) {}};
    plan.time.most_samples = most_samples;
    LinkResult result;
    PathCounters counters(resources_.backend->way_out());
    if (rank == source || rank == destination) {
      const std::array peer{rank == source ? destination : source};
      fabric_->connect(peer, Deadline::after(options_.timeout));
      plan.around_timed = [&](bool on) { counters.count(on); };
      result = measure_link(*fabric_, plan);
    }
    constexpr std::chrono::hours as_long_as_it_takes{24};
    control.barrier(as_long_as_it_takes);
    const bool counts = rank == source && leaves_host(source, destination);
    const auto path = find_path(control, counters, resources_.places, counts ? static_cast<double>(bytes) : 0,
                                share(result.messages, source), source);
    const auto times_us = from_source(result.times_us, source);
    const auto wrong = share(result.wrong_bytes, source);
    const auto reason = share(static_cast<std::uint64_t>(result.stop_reason.value_or(StopReason{})), source);
    summarise(times_us, record);
    add_bandwidths(1, record);
    record.wrong_elements = wrong;
    record.stop_reason = static_cast<StopReason>(reason);
    judge(path, resources_.backend->way_out(), {.count = wrong, .words = "what arrived differs from what was sent"},
          record);
    resources_.backend->judge(record, resources_);
    wrong_ |= is_not_as_asked(record.status);
  }

  bool is_within_host(int source, int destination) const {
    const auto& hosts = resources_.places.hosts;
    return hosts[static_cast<std::size_t>(source)] == hosts[static_cast<std::size_t>(destination)];
  }

  /// On one host everything goes over its loopback, which counts too.
  bool leaves_host(int source, int destination) const {
    const auto& hosts = resources_.places.hosts;
    return on_one_host(hosts) ||
           hosts[static_cast<std::size_t>(source)] != hosts[static_cast<std::size_t>(destination)];
  }

  static constexpr int most_samples = 2000;

  /// The source's value, on every rank.
  std::uint64_t share(std::uint64_t mine, int source) {
    return exchange(*resources_.control, "result of a link", mine)[static_cast<std::size_t>(source)];
  }
  std::vector<double> from_source(const std::vector<double>& mine, int source) {
    return exchange(*resources_.control, "times of a link", mine)[static_cast<std::size_t>(source)];
  }

  const LinkOptions& options_;
  RankResources& resources_;
  std::unique_ptr<Fabric> fabric_;
  RunId run_id_;
  Sink* csv_;
  std::vector<Record> records_;
  bool wrong_ = false;
};

int run_rank(const LinkOptions& options, const RunContext& context, Bootstrap& bootstrap,
             const std::shared_ptr<MpiLibrary>& library) {
  if (bootstrap.size() < 2) throw BadUsage("a link has two ends: start at least two ranks");
  for (const auto& sizes : {options.latency_sizes, options.bandwidth_sizes}) {
    const auto largest = *std::max_element(sizes.begin(), sizes.end());
    require_memory(bootstrap, static_cast<double>(largest), fmt::format("size {}", format_size(largest)),
                   "give smaller --sizes");
  }
  auto resources = make_rank_resources(bootstrap, options, library);
  const int status = run_and_tell(resources, [&] {
    std::unique_ptr<Sink> csv;
    if (bootstrap.rank() == 0) {
      csv = open_files(options.csv_path, {}, Schema::link);
      const auto world = describe_world(context, options, resources, bootstrap);
      csv->begin(world);
      fmt::print("{}", path_in_words(world));
    }
    LinkSession session(options, resources, context.run_id, csv.get());
    return session.run();
  });
  bootstrap.barrier();
  return status;
}

}  // namespace

int link_main(int argc, const char* const* argv) {
  const auto parsed = parse_link_options(argc, argv);
  const auto& options = parsed.options;
  const auto outcome = check_command_line(parsed, [&]() -> std::optional<int> {
    if (!has_own_schedules(options.transport))
      throw Unusable(
          fmt::format("--transport {}: ringmark-link measures a fabric; give tcp or verbs", name(options.transport)));
    if (own_rank(options) == 0) open_files(options.csv_path, {}, Schema::link);
    return std::nullopt;
  });
  const auto context = describe_run("ringmark link", argc, argv, options.run_id);
  return run_ranks(outcome, options, argc, argv, [&](Bootstrap& bootstrap, const std::shared_ptr<MpiLibrary>& library) {
    return run_rank(options, context, bootstrap, library);
  });
}

}  // namespace ringmark

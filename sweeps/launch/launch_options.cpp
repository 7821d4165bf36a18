#include "sweeps/launch/launch_options.hpp"

#include <algorithm>

#include "sweeps/file/parsed_flags.hpp"

namespace ringmark::sweep {
namespace {

template <class Visit>
auto with_parsed(const Resolved& resolved, Visit visit) {
  const auto words = program_words(resolved);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  const auto parsed = facts_of(resolved.program).parse(static_cast<int>(argv.size()), argv.data(), resolved.ranks);
  return std::visit(visit, parsed.of_program);
}

bool chooses_schedules(const LinkOptions& /*options*/) { return false; }
bool chooses_schedules(const auto& options) {
  return options.algorithm == "auto" && options.algorithms_path.empty() && has_own_schedules(options.transport);
}

Extent extent(const BenchOptions& options, const Resolved& resolved) {
  const auto placements = static_cast<std::size_t>(options.in_place) + static_cast<std::size_t>(options.out_of_place);
  auto sizes = options.sizes.sizes();
  const auto rows = sizes.size() * placements * options.datatypes.size() *
                    options.ops_of(*facts_of(resolved.program).collective).size();
  return {std::move(sizes), rows, std::nullopt};
}

Extent extent(const LinkOptions& options, const Resolved& resolved) {
  std::vector<std::size_t> sizes;
  std::size_t rows = 0;
  for (const auto test : options.tests) {
    if (test == LinkTest::burst) {
      ++rows;  // it finds the size itself
      continue;
    }
    const auto& own = test == LinkTest::latency ? options.latency_sizes : options.bandwidth_sizes;
    sizes.insert(sizes.end(), own.begin(), own.end());
    rows += own.size();
  }
  rows *= count_links(options.pairs, resolved.ranks);
  return {std::move(sizes), rows, std::nullopt};
}

/// The rows of steps have size 0.
Extent extent(const replay::ReplayOptions& /*options*/, const Resolved& /*resolved*/) { return {{0}, 1, std::nullopt}; }

void plan(const BenchOptions& options, const Resolved& resolved, Record& row) {
  const auto collective = *facts_of(resolved.program).collective;
  row.algorithm = options.algorithm;
  row.collective = collective;
  row.datatype = Listed(options.datatypes);
  if (reduces(collective)) row.op = Listed(options.ops);
  row.timing = options.timing;
  row.start = options.start;
}

void plan(const LinkOptions& options, const Resolved& /*resolved*/, Record& row) {
  row.collective = Listed(std::vector<Workload>(options.tests.begin(), options.tests.end()));
}

void plan(const replay::ReplayOptions& options, const Resolved& /*resolved*/, Record& row) {
  row.algorithm = options.algorithm;
  row.collective = TrainingStep{};
  row.timing = Timing::each;
}

}  // namespace

std::vector<Problem> problems_of(const Resolved& resolved) {
  return with_parsed(resolved, [](const auto& parsed) { return parsed.problems; });
}

Resolved keep_algorithms(Resolved resolved, const std::string& file) {
  if (with_parsed(resolved, [](const auto& parsed) { return chooses_schedules(parsed.options); }))
    resolved.flags["algorithm"] = "auto:" + file;
  return resolved;
}

Extent extent_of(const Resolved& resolved) {
  return with_parsed(resolved, [&](const auto& parsed) {
    auto result = extent(parsed.options, resolved);
    std::sort(result.sizes.begin(), result.sizes.end());
    const double max_time = parsed.options.max_time.count();
    const bool bounds_warmup = resolved.program == Program::replay;
    if (!parsed.options.iterations)
      result.seconds = static_cast<double>(result.rows) * (bounds_warmup ? 2 * max_time : max_time);
    return result;
  });
}

int gpus_per_node_of(const Resolved& resolved) {
  return with_parsed(resolved, [&](const auto& parsed) {
    const RunOptions& options = parsed.options;
    if (options.memory_kind() == MemoryKind::host) return 0;
    if (options.transport == Transport::nccl) {
      const auto& nccl = options.template of<NcclOptions>();
      if (nccl.device) return *nccl.device + 1;
      if (nccl.share_gpu) return 1;
    }
    return ranks_on_a_node(resolved);
  });
}

Record planned_row(const Resolved& resolved) {
  return with_parsed(resolved, [&](const auto& parsed) {
    Record row;
    row.schema = facts_of(resolved.program).schema;
    row.transport = parsed.options.transport;
    row.memory = parsed.options.memory_kind();
    row.ranks = resolved.ranks;
    row.settings.others = parsed.options.settings;
    plan(parsed.options, resolved, row);
    return row;
  });
}

}  // namespace ringmark::sweep

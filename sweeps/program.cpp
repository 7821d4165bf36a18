#include "sweeps/program.hpp"

#include <algorithm>
#include <filesystem>

#include "bench/flags/link_options.hpp"
#include "bench/flags/options.hpp"
#include "replay/flags/command_line.hpp"

namespace ringmark::sweep {
namespace {

std::optional<Collective> collective_of(const std::string& program) {
  if (program == "all-reduce") return Collective::all_reduce;
  if (program == "reduce-scatter") return Collective::reduce_scatter;
  if (program == "all-gather") return Collective::all_gather;
  return std::nullopt;
}

template <class Visit>
auto with_parsed(const Resolved& resolved, Visit visit) {
  const auto& program = resolved.program;
  const auto words = program_arguments(resolved);
  std::vector<const char*> argv{program.c_str()};
  for (const auto& word : words) argv.push_back(word.c_str());
  const int argc = static_cast<int>(argv.size());
  if (const auto collective = collective_of(program)) return visit(parse_options(*collective, argc, argv.data()));
  if (program != "replay") return visit(parse_link_options(argc, argv.data()));
  auto parsed = replay::parse_command_line(argc, argv.data(), resolved.ranks);
  return visit(Parsed<replay::ReplayOptions>{std::get<replay::ReplayOptions>(std::move(parsed.options)),
                                             parsed.exit_status, parsed.output, std::move(parsed.problems)});
}

Extent extent(const BenchOptions& options, const Resolved& resolved) {
  const auto placements = static_cast<std::size_t>(options.in_place) + static_cast<std::size_t>(options.out_of_place);
  auto sizes = options.sizes.sizes();
  const auto rows =
      sizes.size() * placements * options.datatypes.size() * options.ops_of(*collective_of(resolved.program)).size();
  return {std::move(sizes), rows, std::nullopt};
}

Extent extent(const LinkOptions& options, const Resolved& resolved) {
  std::vector<std::size_t> sizes;
  std::size_t rows = 0;
  for (const auto test : options.tests) {
    if (test == LinkTest::burst) {
      ++rows;  // whose size is what it finds
      continue;
    }
    const auto& own = test == LinkTest::latency ? options.latency_sizes : options.bandwidth_sizes;
    sizes.insert(sizes.end(), own.begin(), own.end());
    rows += own.size();
  }
  const auto others = static_cast<std::size_t>(resolved.ranks - 1);
  rows *= options.all_pairs ? static_cast<std::size_t>(resolved.ranks) * others : 1;
  return {std::move(sizes), rows, std::nullopt};
}

/// A step, whatever its size.
Extent extent(const replay::ReplayOptions& /*options*/, const Resolved& /*resolved*/) { return {{0}, 1, std::nullopt}; }

void plan(const BenchOptions& options, const Resolved& resolved, Record& row) {
  const auto collective = *collective_of(resolved.program);
  row.algorithm = options.algorithm;
  row.collective = collective;
  row.datatype = Listed(options.datatypes);
  if (reduces(collective)) row.op = Listed(options.ops);
  row.timing = options.timing;
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

std::string program_path(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / ("ringmark-" + name)).string();
}

Schema schema_of(const std::string& program) {
  return program == "link" ? Schema::link : program == "replay" ? Schema::replay : Schema::collective;
}

bool writes_samples(const std::string& program) { return program != "link"; }

std::vector<Problem> problems_of(const Resolved& resolved) {
  return with_parsed(resolved, [](const auto& parsed) { return parsed.problems; });
}

Extent extent_of(const Resolved& resolved) {
  return with_parsed(resolved, [&](const auto& parsed) {
    auto result = extent(parsed.options, resolved);
    std::sort(result.sizes.begin(), result.sizes.end());
    const double max_time = parsed.options.max_time.count();
    const bool bounds_warmup = resolved.program == "replay";
    if (!parsed.options.iterations)
      result.seconds = static_cast<double>(result.rows) * (bounds_warmup ? 2 * max_time : max_time);
    return result;
  });
}

Record planned_row(const Resolved& resolved) {
  return with_parsed(resolved, [&](const auto& parsed) {
    Record row;
    row.schema = schema_of(resolved.program);
    row.transport = parsed.options.transport;
    row.memory = parsed.options.memory_kind();
    row.ranks = resolved.ranks;
    row.settings = parsed.options.settings;
    plan(parsed.options, resolved, row);
    return row;
  });
}

}  // namespace ringmark::sweep

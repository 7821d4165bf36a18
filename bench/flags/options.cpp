#include "bench/flags/options.hpp"

#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

/// The flags as words; what they mean is checked by interpret().
struct Words {
  std::string min_bytes, max_bytes, factor, step, sizes, datatypes = "float32", ops = "sum", timing = "each",
                                                         in_place = "both", check = "1", ranks_per_node;
};

void declare(CLI::App& app, Words& words, BenchOptions& options, Collective collective) {
  app.add_option("--algorithm", options.algorithm,
                 fmt::format("auto, or one of {}", fmt::join(algorithms_for(collective), ", ")))
      ->capture_default_str();
  app.add_option("-b,--min-bytes", words.min_bytes, "first size: the full buffer, e.g. 8, 64K, 1G (default 8)");
  app.add_option("-e,--max-bytes", words.max_bytes, "last size (default 64M)");
  app.add_option("-f,--step-factor", words.factor, "each size is the previous one times this (default 2)");
  app.add_option("-i,--step-bytes", words.step, "each size is the previous one plus this");
  app.add_option("--sizes", words.sizes, "the sizes themselves, as a comma list");
  app.add_option("-d,--datatype", words.datatypes, "comma list of types, or all")->capture_default_str();
  app.add_option("-o,--op", words.ops, "comma list of sum, prod, min, max, avg, or all")->capture_default_str();
  app.add_option("--timing", words.timing, "each: one operation at a time; batch: back to back, as nccl-tests")
      ->capture_default_str();
  app.add_option("--in-place", words.in_place, "yes, no or both")->capture_default_str();
  app.add_option("-c,--check", words.check, "1: verify the results that were timed; 0: do not")->capture_default_str();
  app.add_option("--samples", options.samples_path, "append every sample to this file, as JSON lines");
  app.add_flag("--explain", options.explain,
               "show who sends what to whom, for --ranks and the first size; run nothing");
  app.add_option("--ranks-per-node", words.ranks_per_node,
                 "with --explain: how the ranks lie (default: all on one node)");
}

void interpret_sizes(FlagReader& read, const Words& words, SizePlan& plan) {
  const bool has_range =
      !words.min_bytes.empty() || !words.max_bytes.empty() || !words.factor.empty() || !words.step.empty();
  if (!words.sizes.empty()) {
    if (has_range) read.problem("--sizes {}: goes without -b, -e, -f and -i", words.sizes);
    read.sizes("--sizes", words.sizes, plan.list);
    return;
  }
  if (!words.min_bytes.empty()) read.size("--min-bytes", words.min_bytes, plan.min_bytes);
  if (!words.max_bytes.empty()) read.size("--max-bytes", words.max_bytes, plan.max_bytes);
  if (!words.factor.empty() && !words.step.empty()) {
    read.problem("--step-factor {} and --step-bytes {}: give one of them", words.factor, words.step);
  }
  if (!words.factor.empty()) read.number<std::size_t>("--step-factor", words.factor, 2, 1024, plan.factor);
  if (!words.step.empty()) {
    read.size("--step-bytes", words.step, plan.step_bytes.emplace());
    if (*plan.step_bytes == 0) read.problem("--step-bytes {}: give at least 1", words.step);
  }
  if (!read.problems().empty()) return;
  constexpr std::size_t most_sizes = 10'000;
  if (plan.step_bytes && plan.max_bytes >= plan.min_bytes &&
      (plan.max_bytes - plan.min_bytes) / *plan.step_bytes >= most_sizes) {
    read.problem("--step-bytes {}: gives more than {} sizes; give a larger step", words.step, most_sizes);
  }
  if (!plan.step_bytes && plan.min_bytes == 0 && plan.max_bytes > 0) {
    read.problem("--min-bytes 0: no factor leads on from 0; give --step-bytes, or --sizes");
  }
  if (plan.min_bytes > plan.max_bytes) {
    read.problem("--min-bytes {} is more than --max-bytes {}: no size lies between", format_size(plan.min_bytes),
                 format_size(plan.max_bytes));
  }
}

void interpret_algorithm(FlagReader& read, Collective collective, const BenchOptions& options) {
  const auto algorithms = algorithms_for(collective);
  if (options.algorithm == "auto") return;
  if (std::find(algorithms.begin(), algorithms.end(), options.algorithm) == algorithms.end()) {
    read.problem("--algorithm {}: for {} give auto or one of {}", options.algorithm, name(collective),
                 fmt::join(algorithms, ", "));
  } else {
    refuse_algorithm(read, options.transport, options.algorithm);
  }
}

void interpret(FlagReader& read, const Words& words, Collective collective, BenchOptions& options) {
  interpret_algorithm(read, collective, options);
  interpret_sizes(read, words, options.sizes);
  read.list("--datatype", words.datatypes, all_datatypes(), parse_datatype, options.datatypes);
  read.list("--op", words.ops, all_reduce_ops(), parse_reduce_op, options.ops);
  read.choice("--timing", words.timing, std::array{"each", "batch"});
  options.timing = words.timing == "batch" ? Timing::batch : Timing::each;
  read.choice("--in-place", words.in_place, std::array{"yes", "no", "both"});
  options.in_place = words.in_place != "no";
  options.out_of_place = words.in_place != "yes";
  read.choice("--check", words.check, std::array{"0", "1"});
  options.check = words.check == "1";
  if (!words.ranks_per_node.empty()) {
    if (!options.explain) read.problem("--ranks-per-node {}: is for --explain", words.ranks_per_node);
    read.number("--ranks-per-node", words.ranks_per_node, 1, 4096, options.ranks_per_node.emplace());
  }
  if (!read.problems().empty()) return;
  for (const auto type : options.datatypes) {
    if (const auto misfit = first_misfit(options.sizes.sizes(), collective, type)) {
      read.problem("size {}: is no whole number of {} elements of {} bytes", format_size(*misfit), name(type),
                   size_bytes(type));
    }
  }
}

}  // namespace

std::string_view name(Timing timing) { return timing == Timing::batch ? "batch" : "each"; }

Parsed<BenchOptions> parse_options(Collective collective, int argc, const char* const* argv) {
  BenchOptions options;
  Words words;
  RunFlags common("5");
  CLI::App app(fmt::format("Measures {} over sizes, types and transports. Start it with mpirun, or with --ranks N.",
                           name(collective)));
  declare(app, words, options, collective);
  common.declare(app, options);
  return parse_with(app, options, argc, argv, [&](FlagReader& read) {
    common.interpret(read, options);
    interpret(read, words, collective, options);
  });
}

}  // namespace ringmark

#include "bench/flags/options.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/units.hpp"
#include "bench/flags/make_counts.hpp"
#include "bench/flags/nccl_tests_flags.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

std::string program_of(Collective collective) {
  auto program = fmt::format("ringmark-{}", name(collective));
  std::replace(program.begin(), program.end(), '_', '-');
  return program;
}

class CollectiveCommandLine {
 public:
  CollectiveCommandLine(Collective collective, std::optional<int> ranks);
  Parsed<BenchOptions> parse(int argc, const char* const* argv) {
    return flags_.read(options_, argc, argv, [&] { check(); });
  }
  std::vector<FlagFacts> flags() const { return flags_.list_all(); }

 private:
  enum class Placement { in, out, both };

  void declare_sizes();
  void declare_rows();
  void check();
  void check_sizes();
  void blame(std::size_t misfit, DataType type);

  Collective collective_;
  std::optional<int> ranks_;
  std::string program_;
  BenchOptions options_;
  RunFlags common_{options_};
  Placement placement_ = Placement::both;
  Flags flags_;
};

CollectiveCommandLine::CollectiveCommandLine(Collective collective, std::optional<int> ranks)
    : collective_(collective),
      ranks_(ranks),
      program_(program_of(collective)),
      flags_(program_,
             fmt::format("Measures {} over sizes, types and transports. Start it with mpirun, or with --ranks N.",
                         name(collective)),
             version_line()) {
  declare_sizes();
  declare_rows();
  common_.declare_duration(flags_);
  common_.declare_output(flags_);
  flags_.choice("--format", options_.format,
                {{"nccl-tests", OutputFormat::nccl_tests}, {"nccl-tests-json", OutputFormat::nccl_tests_json}},
                "format of standard output: nccl-tests (its table) or nccl-tests-json (the JSON of its -J)");
  flags_.file("--samples", options_.samples_path, "append every sample to this file, as JSON lines");
  common_.declare_rest(flags_);
  flags_.toggle("--explain", options_.explain,
                "show the schedule's messages for --ranks and the first size, without running anything");
  flags_.number("--ranks-per-node", options_.ranks_per_node, 1, 4096,
                "with --explain: ranks on each node; by default all on one");
  flags_.examples({program_ + " --ranks 4", "mpirun -n 8 " + program_ + " -b 1K -e 1G -f 4 --csv results.csv",
                   "mpirun -n 8 " + program_ + " --transport nccl -d bfloat16 --timing batch"});
}

void CollectiveCommandLine::declare_sizes() {
  flags_.group(heading::measured);
  flags_.size("-b,--min-bytes", options_.sizes.min_bytes, "first size: the full buffer, e.g. 8, 64K, 1G");
  flags_.size("-e,--max-bytes", options_.sizes.max_bytes, "last size");
  flags_.number("-f,--step-factor", options_.sizes.factor, 2, 1024, "each size is the previous one times this");
  flags_.size("-i,--step-bytes", options_.sizes.step_bytes, "each size is the previous one plus this", 1);
  flags_.sizes("--sizes", options_.sizes.list, "the sizes, as a list");
}

void CollectiveCommandLine::declare_rows() {
  flags_.list("-d,--datatype", options_.datatypes, all_datatypes(), parse_datatype,
              "element types: float32, bfloat16, …, or all");
  flags_.list("-o,--op", options_.ops, all_reduce_ops(), parse_reduce_op,
              "reductions: sum, prod, min, max, avg, or all");
  if (is_rooted(collective_))
    flags_.number("-r,--root", options_.root, 0, 1'000'000, "root: the rank that data come from or go to");
  if (collective_ == Collective::send_recv)
    flags_.named(
        "--pattern", options_.pattern, all_patterns(),
        "which rank sends to which: ring (to the next), pairs (0 and 1, 2 and 3, … to each other) or neighbours "
        "(half to the next rank, half to the previous one)");
  if (has_counts(collective_))
    flags_.word(
        "--counts", "COUNTS", "",
        [this](const std::string& word) {
          options_.counts_text = word;
          return word.empty() ? fmt::format("give {}", allowed_counts) : std::string();
        },
        collective_ == Collective::all_to_all
            ? "how much each pair of ranks exchanges, by default equal amounts: a file with a matrix of bytes (a line "
              "per sender, as in nccl-tests, or CSV); uniform; skew:A (rank r receives in proportion to 1/(r+1)^A); "
              "experts:E,K,SEED[,CAPACITY] (each token to K of E experts); sparse[:K] (each to K others, by default "
              "2); incast[:RANK] (all to one); permutation:SEED (each to one other)"
            : "size of each rank's block, by default all equal: a file with bytes for each rank; uniform; skew:A (in "
              "proportion to 1/(r+1)^A); sparse[:K] (K ranks have a block, by default 2)");
  flags_.word(
      "--groups", "GROUPS", "all",
      [this](const std::string& word) -> std::string {
        options_.groups = parse_groups(word);
        options_.groups_text = word;
        return options_.groups ? "" : fmt::format("give {}", allowed_groups);
      },
      fmt::format("run the operation in concurrent groups of ranks, with a row for each group and one for all: {}",
                  allowed_groups));
  if (why_not_in_place(collective_) != nullptr) placement_ = Placement::out;
  flags_.choice("--in-place", placement_, {{"yes", Placement::in}, {"no", Placement::out}, {"both", Placement::both}},
                "whether the result overwrites the input: yes, no or both");
  declare_algorithm(flags_, options_.algorithm, options_, algorithms_for(collective_));
  flags_.choice("--timing", options_.timing, {{"each", Timing::each}, {"batch", Timing::batch}},
                "each: one operation at a time; batch: back to back, as in nccl-tests");
  flags_.choice(
      "--start", options_.start, {{"barrier", Start::barrier}, {"window", Start::window}},
      "how an iteration begins: barrier (each rank's time runs from its own entry), or window (all ranks' times "
      "run from an agreed time)");
  flags_.choice("-c,--check", options_.check, {{"1", true}, {"0", false}}, "1: verify the timed results; 0: do not");
}

void CollectiveCommandLine::check() {
  common_.check(flags_);
  refuse_algorithm(flags_, options_, options_.algorithm);
  refuse_nccl_tests_groups(flags_);
  if (!options_.counts_text.empty()) options_.counts = read_counts(options_.counts_text, "--counts");
  options_.in_place = placement_ != Placement::out;
  options_.out_of_place = placement_ != Placement::in;
  if (const auto ranks = options_.ranks ? options_.ranks : ranks_; ranks && flags_.problems().empty()) {
    if (const auto why = why_not_for(collective_, options_, *ranks)) flags_.add_problem(*why);
  }
  if (options_.ranks_per_node && !options_.explain) flags_.problem("--ranks-per-node", "only goes with --explain");
  if (options_.groups && options_.explain)
    flags_.problem("--groups", "cannot be combined with --explain", "give --ranks for a single group");
  if (options_.groups && options_.format == OutputFormat::nccl_tests_json)
    flags_.problem("--format", "the JSON of nccl-tests cannot represent --groups",
                   "give --json FILE instead, or leave out --groups");
  if (!flags_.problems().empty()) return;
  check_sizes();
  if (!flags_.problems().empty()) return;
  for (const auto type : options_.datatypes) {
    if (const auto misfit = first_misfit(options_.sizes.sizes(), collective_, type)) blame(*misfit, type);
  }
}

/// Adds a problem that names the flag that the misfit comes from, with the default value if the flag was not given.
void CollectiveCommandLine::blame(std::size_t misfit, DataType type) {
  const auto& plan = options_.sizes;
  const bool is_first = misfit == plan.min_bytes;
  const std::string flag = !plan.list.empty() ? "--sizes" : is_first ? "--min-bytes" : "--step-bytes";
  const auto in_effect = is_first || !plan.step_bytes ? plan.min_bytes : *plan.step_bytes;
  flags_.add_problem({.flag = flag,
                      .value = flags_.is_given(flag) ? flags_.given(flag) : format_size(in_effect),
                      .text = fmt::format("{} bytes are not a multiple of a {} element's {} bytes", format_size(misfit),
                                          name(type), size_bytes(type)),
                      .remedy = fmt::format("give a multiple of {}", size_bytes(type))});
}

void CollectiveCommandLine::check_sizes() {
  auto& plan = options_.sizes;
  if (const auto size = options_.counts ? own_size(*options_.counts, collective_) : std::nullopt) {
    for (const char* flag : {"--sizes", "--min-bytes", "--max-bytes", "--step-factor", "--step-bytes"}) {
      if (flags_.is_given(flag))
        flags_.problem(flag,
                       fmt::format("cannot be combined with --counts {}, which sets the sizes", options_.counts_text),
                       "leave out one of them");
    }
    plan.list = {*size};
    return;
  }
  if (!plan.list.empty()) {
    for (const char* flag : {"--min-bytes", "--max-bytes", "--step-factor", "--step-bytes"}) {
      if (flags_.is_given(flag))
        flags_.problem("--sizes", fmt::format("cannot be combined with {}", flag), "leave out one of them");
    }
    return;
  }
  if (flags_.is_given("--step-factor") && plan.step_bytes)
    flags_.problem("--step-factor", fmt::format("--step-bytes {} is also given", flags_.given("--step-bytes")),
                   "give only one of them");
  constexpr std::size_t most_sizes = 10'000;
  if (plan.step_bytes && plan.max_bytes >= plan.min_bytes &&
      (plan.max_bytes - plan.min_bytes) / *plan.step_bytes >= most_sizes)
    flags_.problem("--step-bytes", fmt::format("results in more than {} sizes", most_sizes), "give a larger step");
  if (!plan.step_bytes && plan.min_bytes == 0 && plan.max_bytes > 0)
    flags_.problem("--min-bytes", "0 cannot be multiplied to reach the next size", "give --step-bytes, or --sizes");
  if (plan.min_bytes > plan.max_bytes)
    flags_.add_problem({.flag = "--min-bytes",
                        .value = format_size(plan.min_bytes),
                        .text = fmt::format("is larger than --max-bytes {}", format_size(plan.max_bytes))});
}

}  // namespace

Parsed<BenchOptions> parse_options(Collective collective, int argc, const char* const* argv, std::optional<int> ranks) {
  return CollectiveCommandLine(collective, ranks).parse(argc, argv);
}

std::vector<FlagFacts> bench_flags(Collective collective) {
  return CollectiveCommandLine(collective, std::nullopt).flags();
}

Operation operation_for(Collective collective, const BenchOptions& options, DataType type, ReduceOp op, int ranks,
                        std::size_t total_bytes) {
  if (options.counts)
    return with_counts(collective, type, op, make_counts(*options.counts, collective, type, ranks, total_bytes));
  return {collective, type, op, count_for(collective, type, ranks, total_bytes), options.root, options.pattern};
}

std::optional<Problem> why_not_for(Collective collective, const BenchOptions& options, int ranks) {
  if (options.groups) {
    if (auto why = why_no_groups(*options.groups, ranks))
      return Problem{.flag = "--groups", .value = options.groups_text, .text = *std::move(why)};
    auto of_group = options;
    of_group.groups.reset();
    for (const auto& kind : group_kinds(*options.groups, ranks)) {
      for (const auto& group : kind.groups) {
        if (auto why = why_not_for(collective, of_group, static_cast<int>(group.size()))) return why;
      }
    }
    return std::nullopt;
  }
  if (options.root >= ranks)
    return Problem{.flag = "--root",
                   .value = fmt::format("{}", options.root),
                   .text = fmt::format("does not exist: there are {} ranks, numbered from 0", ranks),
                   .remedy = "give a rank's number"};
  if (!options.counts) return std::nullopt;
  if (auto why = why_no_counts(*options.counts, collective, ranks))
    return Problem{.flag = "--counts", .value = options.counts_text, .text = *std::move(why)};
  return std::nullopt;
}

}  // namespace ringmark

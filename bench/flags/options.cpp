#include "bench/flags/options.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/units.hpp"
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
  explicit CollectiveCommandLine(Collective collective);
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

  Collective collective_;
  std::string program_;
  BenchOptions options_;
  RunFlags common_{options_};
  Placement placement_ = Placement::both;
  Flags flags_;
};

CollectiveCommandLine::CollectiveCommandLine(Collective collective)
    : collective_(collective),
      program_(program_of(collective)),
      flags_(program_,
             fmt::format("Measures {} over sizes, types and transports. Start it with mpirun, or with --ranks N.",
                         name(collective)),
             version_line()) {
  declare_sizes();
  declare_rows();
  common_.declare_duration(flags_);
  common_.declare_output(flags_);
  flags_.file("--samples", options_.samples_path, "append every sample to this file, as JSON lines");
  common_.declare_rest(flags_);
  flags_.toggle("--explain", options_.explain,
                "show who sends what to whom, for --ranks and the first size; run nothing");
  flags_.number("--ranks-per-node", options_.ranks_per_node, 1, 4096,
                "with --explain: how the ranks lie; by default all on one node");
  flags_.examples({program_ + " --ranks 4", "mpirun -n 8 " + program_ + " -b 1K -e 1G -f 4 --csv results.csv",
                   "mpirun -n 8 " + program_ + " --transport nccl -d bfloat16 --timing batch"});
}

void CollectiveCommandLine::declare_sizes() {
  flags_.group(heading::measured);
  flags_.size("-b,--min-bytes", options_.sizes.min_bytes, "first size: the full buffer, e.g. 8, 64K, 1G");
  flags_.size("-e,--max-bytes", options_.sizes.max_bytes, "last size");
  flags_.number("-f,--step-factor", options_.sizes.factor, 2, 1024, "each size is the previous one times this");
  flags_.size("-i,--step-bytes", options_.sizes.step_bytes, "each size is the previous one plus this", 1);
  flags_.sizes("--sizes", options_.sizes.list, "the sizes themselves");
}

void CollectiveCommandLine::declare_rows() {
  const auto algorithms = algorithms_for(collective_);
  std::vector<std::pair<std::string, std::string>> words{{"auto", "auto"}};
  for (const auto& each : algorithms) words.emplace_back(each, each);
  flags_.list("-d,--datatype", options_.datatypes, all_datatypes(), parse_datatype,
              "types of elements: float32, bfloat16, …, or all");
  flags_.list("-o,--op", options_.ops, all_reduce_ops(), parse_reduce_op,
              "reductions: sum, prod, min, max, avg, or all");
  flags_.choice("--in-place", placement_, {{"yes", Placement::in}, {"no", Placement::out}, {"both", Placement::both}},
                "whether the result overwrites the input: yes, no or both");
  flags_.choice("--algorithm", options_.algorithm, std::move(words),
                fmt::format("the schedule: auto, or one of {}", fmt::join(algorithms, ", ")));
  flags_.choice("--timing", options_.timing, {{"each", Timing::each}, {"batch", Timing::batch}},
                "each: one operation at a time; batch: back to back, as nccl-tests");
  flags_.choice("-c,--check", options_.check, {{"1", true}, {"0", false}},
                "1: verify the results that were timed; 0: do not");
}

void CollectiveCommandLine::check() {
  common_.check(flags_);
  refuse_algorithm(flags_, options_.transport, options_.algorithm);
  options_.in_place = placement_ != Placement::out;
  options_.out_of_place = placement_ != Placement::in;
  if (options_.ranks_per_node && !options_.explain) flags_.problem("--ranks-per-node", "is for --explain");
  if (!flags_.problems().empty()) return;
  check_sizes();
  if (!flags_.problems().empty()) return;
  for (const auto type : options_.datatypes) {
    if (const auto misfit = first_misfit(options_.sizes.sizes(), collective_, type))
      flags_.problem(flags_.is_given("--sizes") ? "--sizes" : "--min-bytes",
                     fmt::format("{} bytes are no whole number of {} elements of {} bytes", format_size(*misfit),
                                 name(type), size_bytes(type)));
  }
}

void CollectiveCommandLine::check_sizes() {
  const auto& plan = options_.sizes;
  if (!plan.list.empty()) {
    for (const char* flag : {"--min-bytes", "--max-bytes", "--step-factor", "--step-bytes"}) {
      if (flags_.is_given(flag)) flags_.problem("--sizes", fmt::format("goes without {}", flag), "leave one out");
    }
    return;
  }
  if (flags_.is_given("--step-factor") && plan.step_bytes)
    flags_.problem("--step-factor", fmt::format("--step-bytes {} is given as well", flags_.given("--step-bytes")),
                   "give one of them");
  constexpr std::size_t most_sizes = 10'000;
  if (plan.step_bytes && plan.max_bytes >= plan.min_bytes &&
      (plan.max_bytes - plan.min_bytes) / *plan.step_bytes >= most_sizes)
    flags_.problem("--step-bytes", fmt::format("gives more than {} sizes", most_sizes), "give a larger step");
  if (!plan.step_bytes && plan.min_bytes == 0 && plan.max_bytes > 0)
    flags_.problem("--min-bytes", "no factor leads on from 0", "give --step-bytes, or --sizes");
  if (plan.min_bytes > plan.max_bytes)
    flags_.add_problem(
        {.flag = "--min-bytes",
         .value = format_size(plan.min_bytes),
         .text = fmt::format("is more than --max-bytes {}: no size lies between", format_size(plan.max_bytes))});
}

}  // namespace

Parsed<BenchOptions> parse_options(Collective collective, int argc, const char* const* argv) {
  return CollectiveCommandLine(collective).parse(argc, argv);
}

std::vector<FlagFacts> bench_flags(Collective collective) { return CollectiveCommandLine(collective).flags(); }

}  // namespace ringmark

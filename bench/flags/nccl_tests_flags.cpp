#include "bench/flags/nccl_tests_flags.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace ringmark {
namespace {

/// Accepts only these values; for all others, the message is the counterpart.
Flags::Reader only(std::vector<std::string> accepted, std::string counterpart) {
  return [accepted = std::move(accepted), counterpart = std::move(counterpart)](const std::string& value) {
    return std::find(accepted.begin(), accepted.end(), value) != accepted.end() ? "" : counterpart;
  };
}

Flags::Reader none(std::string counterpart) { return only({}, std::move(counterpart)); }

std::string one_gpu(const std::string& value) {
  constexpr int most_gpus = 1024;
  int gpus = 0;
  if (!read_number(value, 1, most_gpus, gpus)) return "give 1: each rank drives one GPU";
  if (gpus == 1) return "";
  return fmt::format("each rank drives one GPU: start {0} ranks instead of each process, with mpirun -n or --ranks {0}",
                     gpus);
}

std::string one_run(const std::string& value) {
  return value == "1" ? ""
                      : fmt::format(
                            "start the program {} times, each with its own --repetition, or use ringmark-sweep "
                            "run with repetitions: {}",
                            value == "0" ? "several" : value, value == "0" ? "N" : value);
}

}  // namespace

void declare_nccl_tests_flags(Flags& flags) {
  flags.foreign(
      "nccl-tests",
      {{"-g,--ngpus", one_gpu},
       {"-t,--nthreads", one_gpu},
       {"-N,--run_cycles", one_run},
       {"-m,--agg_iters", only({"1"},
                               "operations are not grouped here: leave it out; --timing batch runs them back to "
                               "back")},
       {"-p,--parallel_init", only({"0", "1"}, "give 0 or 1: every rank is a process that initializes NCCL itself")},
       {"-z,--blocking", only({"0"},
                              "leave it out: with --timing each, the default, ranks meet at a barrier before "
                              "each operation and wait for its end")},
       {"-y,--stream_null", only({"0"}, "leave it out: operations run on their own stream")},
       {"-G,--cudagraph", only({"0"}, "give --set nccl.graph=1")},
       {"-C,--report_cputime", only({"0"},
                                    "leave it out: over NCCL the column issue_us_p50 has the CPU time of a "
                                    "call")},
       {"-S,--report_timestamps", only({"0"}, "leave it out: the column time_utc of --csv and --json has it")},
       {"-a,--average", none("leave it out: a time is the slowest rank's, and with --timing batch the mean over "
                             "ranks")},
       {"-R,--local_register", only({"0"}, "give --set nccl.buffer=registered for 1, or nccl.buffer=window for 2")},
       {"-x,--cta_policy", none("set NCCL_CTA_POLICY in the environment")},
       {"-D,--device_implementation", only({"0"}, "leave it out: NCCL chooses its kernels")},
       {"-V,--device_cta_count", none("leave it out: it is for -D, and NCCL chooses its kernels here")},
       {"-M,--memory", only({"0"}, "leave it out: memory use is not reported")},
       {"-u,--unalign", only({"0"}, "leave it out: buffers are aligned")},
       {"-I,--per_iter_timing",
        only({"0"}, "leave it out: rows always have percentiles and an interval, and --samples keeps each iteration")},
       {"-K,--per_iter_skip", only({"0"}, "give --warmup, the number of untimed iterations")},
       {"-J,--output_file",
        none("give --format nccl-tests-json and redirect the output, or --json FILE or --csv FILE")},
       {"-T", only({"0"}, "give --timeout SECONDS, the longest wait for another rank")},
       {"-r,--root", only({"0"}, "leave it out: this operation has no root")}},
      {{"--minbytes", "--min-bytes"},
       {"--maxbytes", "--max-bytes"},
       {"--stepbytes", "--step-bytes"},
       {"--stepfactor", "--step-factor"},
       {"--warmup_iters", "--warmup"}});
}

void refuse_nccl_tests_groups(Flags& flags) {
  if (flags.is_given("--groups")) return;
  for (const auto& [variable, color] : {std::pair("NCCL_TESTS_SPLIT_MASK", "mask:"), {"NCCL_TESTS_SPLIT", ""}}) {
    const char* value = std::getenv(variable);
    if (value == nullptr) continue;
    flags.add_problem({.flag = variable,
                       .value = value,
                       .text = "forms groups only in nccl-tests and would be ignored here",
                       .remedy = fmt::format("give --groups '{}{}', or unset it", color, value)});
  }
}

}  // namespace ringmark

// The results schema: every column of result files, and every key of `settings` that Ringmark's programs write.
#include <array>

#include "results/schema/columns.hpp"
#include "results/schema/declare.hpp"

namespace ringmark {
namespace {

using enum Role;
constexpr auto micro = Digits::micro, shortest = Digits::shortest;
constexpr std::string_view microseconds = "µs", bytes = "bytes", elements = "elements", GBps = "1e9 B/s";

/// Tools rely on their order, so new columns go last.
constexpr std::array of_contract{
    declare<&Record::schema>({"schema", benchmark_case, "",
                              "`1`; `link/1` for ringmark-link, whose rows end in `src,dst`; `replay/1` for "
                              "ringmark-replay, see below"}),
    declare<&Record::run_id>(
        {"run_id", origin, "",
         "the run: `--run-id`, or generated from the time; in a sweep, the sweep's, a dot and the launch", "run-id"}),
    declare<&Record::time_utc>({"time_utc", origin, "", "when the row was started"}),
    declare<&Record::transport>(
        {"transport", choice, "", "the requested transport: `tcp`, `verbs`, `nccl`, `mpi`", "transport"}),
    declare<&Record::network>(
        {"network", choice, "",
         "the network that the bytes crossed, by the counters of the interface or port: `tcp`, "
         "`roce`, `ib`, `shm`, or `device` if ranks access each other's GPUs directly; the plug-in's name (`NET/…`) if "
         "NCCL uses one; empty for MPI if too few bytes travel to stand out from the barriers"}),
    declare<&Record::memory>({"memory", choice, "", "where the buffers are: `host` or `cuda`"}),
    declare<&Record::algorithm>({"algorithm", choice, "", "the requested algorithm: `auto` or a name", "algorithm"}),
    declare<&Record::collective>({"collective", benchmark_case, "",
                                  "the operation; `latency`, `bandwidth` or `burst` of ringmark-link; "
                                  "`training_step` of ringmark-replay"}),
    declare<&Record::datatype>({"datatype", benchmark_case, "", "of the elements", "datatype"}),
    declare<&Record::op>({"op", benchmark_case, "", "the reduction; empty where nothing is reduced", "op"}),
    declare<&Record::in_place>({"in_place", benchmark_case, "", "0 or 1", "in-place"}),
    declare<&Record::timing>(
        {"timing", benchmark_case, "", "`each`: one operation at a time; `batch`: back to back", "timing"}),
    declare<&Record::ranks>({"ranks", benchmark_case, "", "ranks that took part", "ranks"}),
    declare<&Record::nodes>({"nodes", benchmark_case, "", "distinct host names of the ranks"}),
    declare<&Record::repetition>({"repetition", origin, "", "of a sweep, from 0", "repetition"}),
    declare<&Record::size_bytes>({"size_bytes", benchmark_case, bytes,
                                  "S, the full buffer: reduce-scatter's and scatter's input, all-gather's and gather's "
                                  "output; rounded down to whole blocks",
                                  "sizes"}),
    declare<&Record::count>({"count", benchmark_case, elements, "per rank, as NCCL counts"}),
    declare<&Record::samples>({"samples", measurement, "", "iterations; in `batch`, batches"}),
    declare<&Record::time_us_min>({"time_us_min", measurement, microseconds,
                                   "time of an iteration, which takes as long as its slowest rank; in `batch` the mean "
                                   "over ranks of window / iterations"}),
    declare<&Record::time_us_p50>({"time_us_p50", measurement, microseconds, "median"}),
    declare<&Record::time_us_p95>({"time_us_p95", measurement, microseconds, "needs 20 samples"}),
    declare<&Record::time_us_p99>({"time_us_p99", measurement, microseconds, "needs 100 samples"}),
    declare<&Record::time_us_max>({"time_us_max", measurement, microseconds, "the slowest iteration"}),
    declare<&Record::time_us_mean>({"time_us_mean", measurement, microseconds, "arithmetic mean"}),
    declare<&Record::time_us_ci_low>({"time_us_ci_low", measurement, microseconds,
                                      "95 % interval of the median, by order statistics; needs 6 samples"}),
    declare<&Record::time_us_ci_high>({"time_us_ci_high", measurement, microseconds, "its upper end"}),
    declare<&Record::algbw_GBps>({"algbw_GBps", rate, GBps, "S / median"}),
    declare<&Record::busbw_GBps>({"busbw_GBps", rate, GBps, "`algbw_GBps` times the bus factor"}),
    declare<&Record::busbw_GBps_ci_low>({"busbw_GBps_ci_low", rate, GBps, "from the interval of the median"}),
    declare<&Record::busbw_GBps_ci_high>({"busbw_GBps_ci_high", rate, GBps, "its upper end"}),
    declare<&Record::algorithm_used>(
        {"algorithm_used", measurement, "", "the algorithm that ran; empty if the library does not report it"}),
    declare<&Record::protocol_used>({"protocol_used", measurement, "", "NCCL's, from its log"}),
    declare<&Record::channels_used>({"channels_used", measurement, "", "NCCL's, from its log"}),
    declare<&Record::start>({"start", benchmark_case, "",
                             "how iterations begin: with `barrier`, a rank's time runs from its own entry; with "
                             "`window`, all times run from a start that the ranks agree on",
                             "start"}),
    declare<&Record::entry_skew_us_p50>({"entry_skew_us_p50", measurement, microseconds,
                                         "median over iterations of last entry minus first entry, on synchronised "
                                         "clocks"}),
    declare<&Record::issue_us_p50>({"issue_us_p50", measurement, microseconds,
                                    "NCCL in `each`: duration of the call that starts the operation, on the rank where "
                                    "it takes longest; median over iterations"}),
    declare<&Record::device_us_p50>({"device_us_p50", measurement, microseconds,
                                     "the same for the time on the device, between events around the operation"}),
    declare<&Record::wire_bytes>(
        {"wire_bytes", measurement, bytes,
         "sent per operation through the slowest rank's interface or RDMA port, including the bytes of all ranks that "
         "share it and, over TCP, of the barrier; in `batch` through rank 0's"}),
    declare<&Record::retransmits>({"retransmits", measurement, "segments",
                                   "segments that TCP retransmitted on all hosts while the row was timed; over verbs, "
                                   "the timeouts and sequence gaps that the ports count"}),
    declare<&Record::time_sliced>(
        {"time_sliced", measurement, "", "NCCL: 1 if ranks share a GPU: their times do not reflect the network"}),
    declare<&Record::slowest_rank>(
        {"slowest_rank", measurement, "", "the rank that was the slowest most often; empty in `batch`"}),
    declare<&Record::wrong_elements>(
        {"wrong_elements", measurement, elements, "sum over all ranks; empty with `--check 0`"}),
    declare<&Record::stop_reason>({"stop_reason", measurement, "", "`iterations`, `precision`, `time` or `samples`"}),
    declare<&Record::status>({"status", measurement, "",
                              "`ok`, `wrong`, `bypassed`, `ignored` (a setting had no effect), `unsupported`, "
                              "`timeout`, `failed`"}),
    declare<&Record::detail>({"detail", measurement, "", "the reason in words, for people"}),
    declare<&Record::settings>({"settings", choice, "", "JSON object of all other settings, see below"}),
    declare<&Record::launch>({"launch", origin, "", "its number within a sweep, from 1; empty outside sweeps", "", 2}),
    declare<&Record::caveats>(
        {"caveats", measurement, "",
         "reasons to doubt that the time reflects the network, as codes with numbers, separated by "
         "blanks; see below",
         "", 2}),
};

constexpr std::array of_settings{
    declare<&Settings::root>({"root", benchmark_case, "", "root of a rooted collective, if not rank 0", "root"}),
    declare<&Settings::pattern>({"pattern", benchmark_case, "", "of send-recv, if not `ring`", "pattern"}),
    declare<&Settings::counts>({"counts", benchmark_case, "", "unequal blocks, as given to `--counts`", "counts"}),
    declare<&Settings::groups>({"groups", benchmark_case, "", "groups of ranks, as given to `--groups`", "groups"}),
    declare<&Settings::group>(
        {"group", benchmark_case, "", "the group that the row is about; `dp` for all groups of a kind together"}),
    declare<&Settings::members>({"members", benchmark_case, "", "its ranks: `0-3,8`"}),
    declare<&Settings::beside>(
        {"beside", benchmark_case, "", "`alone`, or `together`: at the same time as the other groups"}),
    declare<&Settings::senders>(
        {"senders", benchmark_case, "", "ringmark-link: ranks that sent to the link's destination at the same time"}),
    declare<&Settings::hosts>(
        {"hosts", origin, "",
         "hosts of the row's ranks in rank order: `node[01-04]*2` for two ranks on each of four; absent in rows of "
         "ringmark-link, and in those of a failed launch if only the launcher knows them"}),
    declare<&Settings::src_host>({"src_host", origin, "", "ringmark-link: host of the source"}),
    declare<&Settings::dst_host>({"dst_host", origin, "", "ringmark-link: host of the destination"}),
    declare<&Settings::version>({"version", origin, "", "of the program, with its revision"}),
};

constexpr std::array of_link{
    declare<&LinkEnds::source>({"src", benchmark_case, "", "the sending rank"}),
    declare<&LinkEnds::destination>({"dst", benchmark_case, "", "the receiving rank"}),
};

using Step = StepResult;
constexpr std::array of_step{
    declare<&Step::model, shortest>({"model", benchmark_case, "", "of the replayed step", "model"}),
    declare<&Step::framework, shortest>({"framework", choice, "", "its framework and version", "framework"}),
    declare<&Step::zero_stage, shortest>({"zero_stage", choice, "", "empty where the trace has none", "zero"}),
    declare<&Step::micro_steps, shortest>({"micro_steps", choice, "", "gradient accumulation", "grad-accum"}),
    declare<&Step::micro_batch, shortest>({"micro_batch", choice, "samples", "per rank and micro-step", "micro-batch"}),
    declare<&Step::overlap, shortest>({"overlap", choice, "",
                                       "if it differs from the framework's default; in a sweep that varies it, always",
                                       "overlap"}),
    declare<&Step::gradients, shortest>(
        {"gradients", choice, "", "the same, for how gradients are reduced", "gradients"}),
    declare<&Step::device, shortest>(
        {"device", benchmark_case, "",
         "the device whose model timed the computations; empty if their times were measured or come from the trace",
         "device"}),
    declare<&Step::compute_used, shortest>(
        {"compute_used", distortion, "", "how computations were played: `busy`, `asleep`, `gpu` or `work`", "compute"}),
    declare<&Step::slow_down, shortest>({"slow_down", distortion, "", "`3=1.2`: rank 3 was slowed down", "slow-down"}),
    declare<&Step::computation_us, micro>({"computation_us", measurement, microseconds,
                                           "computation of each step's slowest rank (the one that the others waited "
                                           "for, or that ended last); as the next three, the median over steps"}),
    declare<&Step::communication_us, micro>({"communication_us", measurement, microseconds,
                                             "its time with at least one collective under way: exposed and hidden"}),
    declare<&Step::exposed_us, micro>(
        {"exposed_us", measurement, microseconds, "the part of it during which nothing was computed"}),
    declare<&Step::hidden_us, micro>(
        {"hidden_us", measurement, microseconds, "the part that ran at the same time as computation"}),
    declare<&Step::exposed_fwd_us, micro>({"exposed_fwd_us", measurement, microseconds, "of the forward pass"}),
    declare<&Step::exposed_bwd_us, micro>(
        {"exposed_bwd_us", measurement, microseconds, "of the backward pass, with recomputation"}),
    declare<&Step::exposed_step_us, micro>({"exposed_step_us", measurement, microseconds, "of the optimizer step"}),
    declare<&Step::hidden_fwd_us, micro>({"hidden_fwd_us", measurement, microseconds, "as above"}),
    declare<&Step::hidden_bwd_us, micro>({"hidden_bwd_us", measurement, microseconds, "as above"}),
    declare<&Step::hidden_step_us, micro>({"hidden_step_us", measurement, microseconds, "as above"}),
    declare<&Step::samples_per_s>({"samples_per_s", rate, "1/s", "of all ranks together, from the median step"}),
    declare<&Step::tokens_per_s>({"tokens_per_s", rate, "1/s", "of all ranks together, from the median step"}),
    declare<&Step::waited_for>({"waited_for", measurement, "",
                                "the rank that arrived latest at the collectives of all ranks, summed over the steps"}),
    declare<&Step::step_wire_bytes, Digits::whole>(
        {"step_wire_bytes", measurement, "bytes", "sent by each rank in a step, by nccl-tests' convention"}),
    declare<&Step::collectives>({"collectives", measurement, "", "collectives in a step"}),
    declare<&Step::compute_scale, shortest>({"compute_scale", distortion, "",
                                             "a value other than 1: the step was scaled to be replayed here",
                                             "scale-compute"}),
    declare<&Step::size_scale, shortest>({"size_scale", distortion, "", "the same", "scale-sizes"}),
    declare<&Step::micro_computation_us, micro>({"micro_computation_us", measurement, microseconds,
                                                 "of each micro-step, the last one including the optimizer, separated "
                                                 "by blanks; empty if there are more than 64"}),
    declare<&Step::micro_exposed_us, micro>({"micro_exposed_us", measurement, microseconds, "the same"}),
    declare<&Step::micro_hidden_us, micro>({"micro_hidden_us", measurement, microseconds, "the same"}),
    declare<&Step::parallelism, shortest>(
        {"parallelism", choice, "",
         "`tp2 pp2 dp2`: ranks of each kind of parallelism that has more than one; empty for data-parallel steps"}),
    declare<&Step::bubble_us, micro>({"bubble_us", measurement, microseconds,
                                      "time in which the slowest rank waited for messages of other pipeline stages and "
                                      "computed nothing; empty if no messages are sent"}),
};

}  // namespace

std::span<const Column> contract_columns() { return of_contract; }

std::span<const Column> settings_keys() { return of_settings; }

std::span<const Column> own_columns_of(Schema schema) {
  switch (schema) {
    case Schema::collective:
      return {};
    case Schema::link:
      return of_link;
    case Schema::replay:
      return of_step;
  }
  return {};
}

}  // namespace ringmark

// What a row timed and how: the values of its columns as types. results/README.md explains each.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/operation.hpp"

namespace ringmark {

/// The schema of a row, which determines the columns after those of the contract.
enum class Schema { collective, link, replay };
/// "1", "link/1", "replay/1".
std::string_view name(Schema schema);
std::optional<Schema> parse_schema(std::string_view text);

enum class LinkTest { bandwidth, burst, latency };
std::string_view name(LinkTest test);
std::optional<LinkTest> parse_link_test(std::string_view text);

/// A whole training step, as measured by the replayer.
struct TrainingStep {
  bool operator==(const TrainingStep&) const = default;
};

/// The benchmark case's operation: the column `collective`.
using Workload = std::variant<Collective, LinkTest, TrainingStep>;
std::string_view name(const Workload& workload);
std::optional<Workload> parse_workload(std::string_view text);

/// One operation at a time, or back to back.
enum class Timing { each, batch };
std::string_view name(Timing timing);
std::optional<Timing> parse_timing(std::string_view text);

/// How an iteration begins on all ranks.
enum class Start { barrier, window };
std::string_view name(Start start);
std::optional<Start> parse_start(std::string_view text);

/// Why measuring ended: the fixed number of iterations, a narrow interval, the time limit, or the cap on kept samples.
enum class StopReason { iterations, precision, time, samples };
std::string_view name(StopReason reason);
std::optional<StopReason> parse_stop_reason(std::string_view text);

/// How a replayed step performs its computations.
enum class ComputeMode {
  busy,    ///< polls the network all the time
  asleep,  ///< yields the core, and polls the network every few dozen microseconds
  on_gpu,  ///< runs kernels of that length on a GPU while the processor polls them and the network
  work,    ///< arithmetic sized to take the fastest rank that long, so that a slow processor takes longer
};
/// As --compute has it: "gpu" for on_gpu.
std::string_view name(ComputeMode compute_mode);
std::optional<ComputeMode> parse_compute_mode(std::string_view text);

}  // namespace ringmark

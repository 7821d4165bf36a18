#include "results/schema/workload.hpp"

#include "base/text/names.hpp"

namespace ringmark {
namespace {

constexpr auto schemas = names_up_to<Schema::replay>("1", "link/1", "replay/1");
constexpr auto link_tests = names_up_to<LinkTest::latency>("bandwidth", "burst", "latency");
constexpr auto timings = names_up_to<Timing::batch>("each", "batch");
constexpr auto starts = names_up_to<Start::window>("barrier", "window");
constexpr auto stop_reasons = names_up_to<StopReason::samples>("iterations", "precision", "time", "samples");
constexpr auto compute_modes = names_up_to<ComputeMode::work>("busy", "asleep", "gpu", "work");
constexpr std::string_view training_step = "training_step";

}  // namespace

std::string_view name(Schema schema) { return schemas.of(schema); }
std::optional<Schema> parse_schema(std::string_view text) { return schemas.find(text); }

std::string_view name(LinkTest test) { return link_tests.of(test); }
std::optional<LinkTest> parse_link_test(std::string_view text) { return link_tests.find(text); }

std::string_view name(const Workload& workload) {
  if (const auto* collective = std::get_if<Collective>(&workload)) return name(*collective);
  if (const auto* test = std::get_if<LinkTest>(&workload)) return name(*test);
  return training_step;
}

std::optional<Workload> parse_workload(std::string_view text) {
  if (const auto collective = parse_collective(text)) return *collective;
  if (const auto test = parse_link_test(text)) return *test;
  return text == training_step ? std::optional<Workload>(TrainingStep{}) : std::nullopt;
}

std::string_view name(Timing timing) { return timings.of(timing); }
std::optional<Timing> parse_timing(std::string_view text) { return timings.find(text); }

std::string_view name(Start start) { return starts.of(start); }
std::optional<Start> parse_start(std::string_view text) { return starts.find(text); }

std::string_view name(StopReason reason) { return stop_reasons.of(reason); }
std::optional<StopReason> parse_stop_reason(std::string_view text) { return stop_reasons.find(text); }

std::string_view name(ComputeMode compute_mode) { return compute_modes.of(compute_mode); }
std::optional<ComputeMode> parse_compute_mode(std::string_view text) { return compute_modes.find(text); }

}  // namespace ringmark

#include "replay/flags/compute_flags.hpp"

#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

/// The first computation without a time of its own, or of the table's; null if there is none.
const Event* first_open(const StepTrace& trace, const std::optional<MeasuredTable>& table) {
  const auto is_open = [&](const Event& event) {
    return !event.time_us && (event.flops > 0 || event.memory_bytes > 0) && !(table && table->time_us(event));
  };
  const auto found = std::find_if(trace.events.begin(), trace.events.end(), is_open);
  return found == trace.events.end() ? nullptr : &*found;
}

}  // namespace

void ComputeFlags::declare(CLI::App& app) {
  app.add_option(
      "--device", device_,
      fmt::format("whose speed times the computations: {}, or a YAML file", fmt::join(shipped_devices(), ", ")));
  app.add_option("--compute-table", table_,
                 "measured: a YAML file of microseconds, by phase and name of a computation");
  app.add_option("--forward-ms", forward_ms_, "measured: a micro-step's forward pass");
  app.add_option("--backward-ms", backward_ms_, "measured: a micro-step's backward pass, with what it computes again");
  app.add_option("--step-ms", step_ms_, "measured: the optimizer's own computation");
  app.add_option("--scale-compute", scale_, "all computations so many times as long")->capture_default_str();
  app.add_option("--scale-sizes", size_scale_, "all collectives so many times as large")->capture_default_str();
  app.add_option("--slow-down", slow_down_, "RANK=FACTOR: that rank computes so many times as long; repeatable")
      ->allow_extra_args(false);
}

ComputeFlags::Given ComputeFlags::interpret(FlagReader& read) const {
  Given given;
  if (!device_.empty()) given.device = load_device(device_);
  const auto measured = [&](const char* flag, const std::string& text, std::optional<double>& to) {
    if (!text.empty()) read.number(flag, text, 0.0, 1e9, to.emplace());
  };
  measured("--forward-ms", forward_ms_, given.model.forward_ms);
  measured("--backward-ms", backward_ms_, given.model.backward_ms);
  measured("--step-ms", step_ms_, given.model.step_ms);
  if (!table_.empty()) given.model.table.emplace(table_);
  if (given.model.table && (given.model.forward_ms || given.model.backward_ms || given.model.step_ms))
    read.problem("--compute-table {}: says what --forward-ms, --backward-ms and --step-ms say; leave one out", table_);
  read.number("--scale-compute", scale_, 0.0, 1e6, given.model.scale);
  read.number("--scale-sizes", size_scale_, 1e-9, 1e6, given.size_scale);
  for (const auto& text : slow_down_) {
    const auto equals = text.find('=');
    int rank = 0;
    double factor = 1;
    const bool is_read = equals != std::string::npos && read_number(text.substr(0, equals), 0, 1 << 20, rank) &&
                         read_number(text.substr(equals + 1), 0.01, 1000.0, factor);
    if (!is_read)
      read.problem("--slow-down {}: give RANK=FACTOR, such as 3=1.2", text);
    else if (!given.slow_down.emplace(rank, factor).second)
      read.problem("--slow-down {}: rank {} is given twice", text, rank);
  }
  return given;
}

ComputeModel ComputeFlags::Given::model_for(const StepTrace& trace) const {
  auto result = model;
  if (model.table) model.table->require_used(trace);
  const auto* open = first_open(trace, model.table);
  if (device) {
    result.device = *device;
  } else if (open != nullptr) {
    if (model.table)
      throw BadUsage(fmt::format("{}: {}: {} is missing; name it, or give --device for what is not measured",
                                 model.table->file(), name(open->phase), open->tag));
    if (!model.forward_ms || !model.backward_ms)
      throw BadUsage(
          fmt::format("what do computations take? Give --device ({}, or a file), or measured times with "
                      "--forward-ms and --backward-ms",
                      fmt::join(shipped_devices(), ", ")));
    result.device = load_device("a100");  // for how the times divide among the modules, and for copies
    result.device.memory_GiB = 0;
  }
  return result;
}

void ComputeFlags::Given::check_ranks(int ranks) const {
  for (const auto& [rank, factor] : slow_down) {
    if (rank >= ranks) throw BadUsage(fmt::format("--slow-down {}={}: there are {} ranks", rank, factor, ranks));
  }
}

void ComputeFlags::Given::scale_sizes(StepTrace& trace) const {
  if (size_scale == 1) return;
  for (auto& event : trace.events) {
    if (event.kind != EventKind::collective) continue;
    const auto& group = trace.group_of(event);
    const auto share = has_block_per_rank(event.collective) ? static_cast<std::uint64_t>(group.size(trace.ranks)) : 1;
    const double scaled = std::max(1.0, static_cast<double>(event.elements) * size_scale);
    if (scaled > static_cast<double>(most_elements))
      throw BadUsage(fmt::format("--scale-sizes {}: makes a collective of {:.3g} elements", size_scale, scaled));
    event.elements = (static_cast<std::uint64_t>(std::llround(scaled)) + share - 1) / share * share;
  }
}

std::string ComputeFlags::Given::device_of(const StepTrace& trace) const {
  const bool is_measured = model.forward_ms && model.backward_ms && model.step_ms;
  return device && !is_measured && first_open(trace, model.table) != nullptr ? device->name : "";
}

std::vector<std::string> ComputeFlags::Given::assumptions(const StepTrace& trace) const {
  std::vector<std::string> lines;
  if (trace.micro_batch > 0)
    lines.push_back(fmt::format("micro-batch {}, sequences of {} tokens", trace.micro_batch, trace.sequence));
  if (device) {
    lines.push_back(fmt::format("computation: {}, {} TFLOP/s at {:.0f} %, {} GB/s at {:.0f} %", device->name,
                                device->peak_TFLOPS, 100 * device->efficiency, device->memory_GBps,
                                100 * device->memory_efficiency));
  }
  if (model.table) lines.push_back(fmt::format("computation: as measured, by {}", model.table->file()));
  const bool is_open = first_open(trace, model.table) != nullptr;
  if (!device && is_open)
    lines.emplace_back(
        "computation: measured times are divided among modules as on an a100; so are copies, and the optimizer unless "
        "given");
  if (!is_open && !model.table && device)
    lines.emplace_back("computation: as the trace has it; the device changes nothing");
  const auto measured = [&](const char* what, const std::optional<double>& ms) {
    if (ms) lines.push_back(fmt::format("computation: {} takes {} ms, as given", what, *ms));
  };
  measured("a forward pass", model.forward_ms);
  measured("a backward pass", model.backward_ms);
  measured("the optimizer", model.step_ms);
  if (model.scale != 1) lines.push_back(fmt::format("SCALED: computation is {} times as long as that", model.scale));
  if (size_scale != 1)
    lines.push_back(fmt::format("SCALED: collectives are {} times as large as the step's", size_scale));
  for (const auto& [rank, factor] : slow_down)
    lines.push_back(fmt::format("rank {} computes {} times as long as the others", rank, factor));
  return lines;
}

}  // namespace ringmark::replay

#include "replay/flags/compute_flags.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

/// The first computation whose time neither the trace nor the table has; null if there is none.
const Event* first_open(const StepTrace& trace, const std::optional<MeasuredTable>& table) {
  const auto is_open = [&](const Event& event) {
    return !event.time_us && (event.flops > 0 || event.memory_bytes > 0) && !(table && table->time_us(event));
  };
  const auto found = std::find_if(trace.events.begin(), trace.events.end(), is_open);
  return found == trace.events.end() ? nullptr : &*found;
}

constexpr double long_sequence = 1e9;  ///< tokens; long enough for attention to reach its full share

std::string describe(const Device& device, const Software& software, ProductType products) {
  if (!device.knows_operators())
    return fmt::format("computation: {}, {} TFLOP/s at {:.0f} %, {} GB/s at {:.0f} %", device.name, device.peak_TFLOPS,
                       100 * device.efficiency, device.memory_GBps, 100 * device.memory_efficiency);
  const double attention = attention_share(device, software, long_sequence);
  return fmt::format(
      "computation: {} with {} software, {} TFLOP/s{}: products at {:.0f} % before tile overhead, {}; {} GB/s at "
      "{:.0f} %; {} us to launch a module",
      device.name, software.name, device.peak_TFLOPS,
      products == ProductType::float8 ? fmt::format(" ({} in FP8)", device.peak_TFLOPS_float8) : "",
      100 * device.product_efficiency,
      software.fuses_attention ? fmt::format("attention at {:.0f} %{}", 100 * attention,
                                             software.attention == AttentionKernels::first ? "" : " in long sequences")
                               : "attention scores stored in memory",
      device.memory_GBps, 100 * device.memory_efficiency, device.launch_us.value_or(software.launch_us));
}

}  // namespace

void ComputeFlags::declare() {
  constexpr double longest_ms = 1e9;
  flags_.group("Computation");
  flags_.file("--device", device_,
              fmt::format("the device whose speed determines computation times: {}, or a YAML file",
                          fmt::join(shipped_devices(), ", ")));
  flags_
      .choice("--product-dtype", given_.model.products, {{"model", ProductType::models}, {"fp8", ProductType::float8}},
              "type in which matrices are multiplied: model (the model's own), or fp8 including the casts")
      .default_is("model");
  flags_.file("--compute-table", table_,
              "measured: a YAML file with microseconds by phase and name of the computation");
  flags_.number("--forward-ms", given_.model.forward_ms, 0, longest_ms, "measured: a micro-step's forward pass", "MS");
  flags_.number("--backward-ms", given_.model.backward_ms, 0, longest_ms,
                "measured: a micro-step's backward pass, including recomputed activations", "MS");
  flags_.number("--step-ms", given_.model.step_ms, 0, longest_ms, "measured: the optimizer's own computation", "MS");
  flags_.number("--scale-compute", given_.model.scale, 0, 1e6, "multiply the time of all computations by this",
                "FACTOR");
  flags_.number("--scale-sizes", given_.size_scale, 1e-9, 1e6, "multiply the size of all collectives by this",
                "FACTOR");
  flags_.repeatable(
      "--slow-down", "RANK=FACTOR", [this](const std::string& word) { return take_slow_down(word); },
      "multiply the time of that rank's computations by this");
}

std::string ComputeFlags::take_slow_down(const std::string& word) {
  const auto equals = word.find('=');
  int rank = 0;
  double factor = 1;
  const bool is_read = equals != std::string::npos && read_number(word.substr(0, equals), 0, 1 << 20, rank) &&
                       read_number(word.substr(equals + 1), 0.01, 1000.0, factor);
  if (!is_read) return "give RANK=FACTOR, such as 3=1.2";
  return given_.slow_down.emplace(rank, factor).second ? "" : fmt::format("rank {} is given twice", rank);
}

ComputeFlags::Given ComputeFlags::interpret() const {
  auto given = given_;
  if (!device_.empty()) given.device = load_device(device_);
  if (table_.empty()) return given;
  given.model.table.emplace(table_);
  if (given.model.forward_ms || given.model.backward_ms || given.model.step_ms)
    flags_.problem("--compute-table", "cannot be combined with --forward-ms, --backward-ms or --step-ms",
                   "leave one out");
  return given;
}

ComputeModel ComputeFlags::Given::model_for(const StepTrace& trace) const {
  auto result = model;
  result.software = software_for(trace);
  if (model.table) model.table->require_used(trace);
  const auto* open = first_open(trace, model.table);
  if (device) {
    result.device = *device;
    require_products(*device, model.products, "--product-dtype");
  } else if (open != nullptr) {
    if (model.table)
      throw BadUsage(
          fmt::format("{}: {}: {} is missing; add it, or give --device for computations that are not measured",
                      model.table->file(), name(open->phase), open->tag));
    if (!model.forward_ms || !model.backward_ms)
      throw BadUsage(
          Problem{.text = "the time of computations is unknown",
                  .remedy = fmt::format("give --device ({}, or a file), or measured times with --forward-ms and "
                                        "--backward-ms",
                                        fmt::join(shipped_devices(), ", "))});
    result.device = load_device("a100");  // divides the times among the modules, and times copies
    result.device.memory_GiB = 0;
  }
  const bool has_operators =
      std::any_of(trace.events.begin(), trace.events.end(), [](const auto& event) { return !event.operators.empty(); });
  if (model.products == ProductType::float8 && (!device || !has_operators))
    throw BadUsage(Problem{.flag = "--product-dtype",
                           .value = "fp8",
                           .text = device ? "has no effect on a trace without operators, such as an imported one"
                                          : "has no effect without a device",
                           .remedy = device ? "leave it out" : "give --device, or leave it out"});
  return result;
}

Software::Kind ComputeFlags::Given::software_for(const StepTrace& trace) const {
  return software ? *software : trace.software.value_or(model.software);
}

void ComputeFlags::Given::check_ranks(int ranks) const {
  for (const auto& [rank, factor] : slow_down) {
    if (rank >= ranks)
      throw BadUsage(Problem{.flag = "--slow-down",
                             .value = fmt::format("{}={}", rank, factor),
                             .text = fmt::format("there are {} ranks", ranks)});
  }
}

void ComputeFlags::Given::scale_size(Event& event, int group_ranks) const {
  if (!is_call(event)) return;
  const auto scaled = [&](std::uint64_t elements) {
    const double result = std::max(1.0, static_cast<double>(elements) * size_scale);
    if (result > static_cast<double>(most_elements))
      throw BadUsage(
          Problem{.flag = "--scale-sizes",
                  .value = fmt::format("{}", size_scale),
                  .text = fmt::format("would make a collective of {:.3g} elements, which is too many", result)});
    return static_cast<std::uint64_t>(std::llround(result));
  };
  const bool is_shared = event.kind == EventKind::collective && has_block_per_rank(event.collective);
  const auto share = is_shared ? static_cast<std::uint64_t>(group_ranks) : 1;
  event.elements = (scaled(event.elements) + share - 1) / share * share;
  for (auto& count : event.counts) count = count == 0 ? 0 : scaled(count);
}

void ComputeFlags::Given::scale_sizes(StepTrace& trace) const {
  if (size_scale == 1) return;
  for (auto& event : trace.events) scale_size(event, trace.group_of(event).size(trace.ranks));
}

void ComputeFlags::Given::scale_sizes(RoleTrace& trace) const {
  if (size_scale == 1) return;
  for (auto& pass : trace.passes) {
    for (auto& event : pass.events) scale_size(event, trace.groups[static_cast<std::size_t>(event.group)].size());
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
    lines.push_back(describe(*device, software_of(software_for(trace)), model.products));
  }
  if (device && trace.type == DataType::bfloat16) {
    if (const auto doubt = doubt_of_bfloat16(*device); !doubt.empty())
      lines.push_back("WARNING: " + doubt + "; give --dtype fp16");
  }
  if (model.table) lines.push_back(fmt::format("computation: measured times from {}", model.table->file()));
  const bool is_open = first_open(trace, model.table) != nullptr;
  if (!device && is_open)
    lines.emplace_back(
        "computation: measured times are divided among modules as on an a100; copies take its times, and so does the "
        "optimizer unless --step-ms is given");
  if (!is_open && !model.table && device)
    lines.emplace_back("computation: all times are the trace's; the device has no effect");
  const auto measured = [&](const char* what, const std::optional<double>& ms) {
    if (ms) lines.push_back(fmt::format("computation: {} takes {} ms, as given", what, *ms));
  };
  measured("a forward pass", model.forward_ms);
  measured("a backward pass", model.backward_ms);
  measured("the optimizer", model.step_ms);
  if (model.scale != 1) lines.push_back(fmt::format("SCALED: computation takes {} times as long", model.scale));
  if (size_scale != 1)
    lines.push_back(fmt::format("SCALED: collectives are {} times as large as in the step", size_scale));
  for (const auto& [rank, factor] : slow_down)
    lines.push_back(fmt::format("rank {} computes {} times as long as the others", rank, factor));
  return lines;
}

}  // namespace ringmark::replay

// Measured steps as rows of a table: the configuration of each, and its time.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "replay/generate/megatron/settings.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/generate/torchtitan/settings.hpp"
#include "replay/model/model.hpp"
#include "replay/predict/network.hpp"
#include "replay/step/operator_time.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "results/files/csv.hpp"

namespace ringmark::replay {

/// A step whose ranks are all alike.
struct UniformStep {
  Model model;
  StepSettings settings;
};

struct PublishedStep {
  std::string id, family, device;
  std::string refused;  ///< why it cannot be predicted; empty if it can
  std::variant<UniformStep, megatron::Settings, torchtitan::Settings> step;
  Software::Kind software = usual_software;
  Links links;
  double step_s = 0;
  ProductType products = ProductType::models;
  std::optional<double> power_watts;  ///< to which the device is limited
};

/// Reads a CSV file of either kind of columns (docs/reference/step-tables.md): those of steps whose ranks are alike or,
/// with tp, pp and global_batch, those of parallel_steps.hpp. Other columns are ignored. Throws BadUsage with the line.
std::vector<PublishedStep> read_published_steps(const std::string& file);

/// Throws BadUsage for settings that contradict each other.
AnyTrace trace_of(const PublishedStep& step);

/// The shipped device for a table's "a100_80gb", "A100-40" or "h100"; empty if there is none.
std::string device_named(const std::string& gpu, double memory_GiB);

}  // namespace ringmark::replay

// Steps that somebody measured, as rows of a table: the configuration of each, and its time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/generate/step_settings.hpp"
#include "replay/model/model.hpp"
#include "replay/predict/network.hpp"
#include "replay/step/operator_time.hpp"
#include "results/csv.hpp"

namespace ringmark::replay {

struct PublishedStep {
  std::string id, family, device;
  Model model;
  StepSettings settings;
  Links links;
  double step_s = 0;
  ProductType products = ProductType::models;
  std::optional<double> power_watts;  ///< to which the device is limited
};

/// Reads a CSV file with the columns id, gpu, model_type, hidden, layers, heads, ffn, vocabulary, framework, gpus,
/// sequence, micro_batch, intra_GBps, inter_GBps and published_step_s, and optionally family, memory_GiB, kv_heads,
/// positions, tied, zero, gpus_per_node, accumulation, dtype, product_dtype, reduce_dtype, recompute, clip_grad,
/// software, power_watts, intra_alpha_us and inter_alpha_us. Other columns are passed over. Throws BadUsage with the
/// line.
std::vector<PublishedStep> read_published_steps(const std::string& file);

/// A CSV file with a header and at least one row. Throws BadUsage.
std::vector<CsvRow> read_step_table(const std::string& file);

/// The shipped device that a table means by "a100_80gb", "A100-40" or "h100"; empty if there is none.
std::string device_named(const std::string& gpu, double memory_GiB);

}  // namespace ringmark::replay

// The question of a plan: models, training, and the clusters to choose from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan/models.hpp"
#include "replay/step/device.hpp"
#include "replay/step/software.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// The cost of a collective on a path: time = steps * alpha + wire bytes / rate, the rate being a busbw.
struct PathCost {
  double alpha_us = 0, GBps = 0;
  double burst_bytes = 0;  ///< that a link lets through at once after it has rested; for `replay` only
  bool is_fitted = false;
  int fitted_ranks = 0;  ///< the most that the fit has seen
  std::string source;    ///< where the two come from, for the sheet of sources
};

struct Cluster {
  std::string name;
  double gpus_per_node = 8;
  /// If given, computation follows its operators, and its figures are the defaults of those below.
  std::optional<replay::Device> device;
  double peak_TFLOPS = 0, efficiency = 0.4;
  double memory_GB = 80, reserve_GB = 4;  ///< what the framework and fragmentation take
  double price_per_GPU_hour = 0, power_kW_per_GPU = 0;
  PathCost intra, network;  ///< within one node, and between nodes
};

struct Scenario {
  std::string question;
  double tokens = 0, sequence = 2048;
  std::vector<ModelShape> models;
  std::vector<int> stages{1, 2, 3}, micro_batches{1}, accumulations{1}, nodes{1};
  bool recompute = true;
  bool reduce_scatter = false;  ///< gradients of stages 1 and 2: false is the all_reduce that DeepSpeed issues
  double overlap = 0.5;         ///< share of the computation beside it that communication can hide behind
  double bucket_elements = 5e8;
  std::optional<double> gather_ratio;              ///< overrides the models'
  std::optional<replay::Software::Kind> software;  ///< nothing: the usual one, with a loss that is not fused
  bool replay = false;                             ///< steps of shipped models as the replayer predicts them
  std::vector<Cluster> clusters;
};

/// Reads YAML. A cluster's `network: {transport: nccl, network: ib}` takes alpha and rate from the fit. Throws BadUsage
/// with all problems, a line for each, with file and line.
Scenario read_scenario(const std::string& file, const std::string& text, const std::optional<Fit>& fit);

}  // namespace ringmark::analysis

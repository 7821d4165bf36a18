// The question of a plan: models, training, and the clusters to choose from.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/plan/calendar.hpp"
#include "analysis/plan/goodput.hpp"
#include "analysis/plan/limits.hpp"
#include "analysis/plan/models.hpp"
#include "analysis/plan/parallelism.hpp"
#include "analysis/plan/prices.hpp"
#include "analysis/plan/sharding.hpp"
#include "base/transport.hpp"
#include "replay/generate/step_settings.hpp"
#include "replay/step/device.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/operator_time.hpp"
#include "replay/step/software.hpp"
#include "results/fit.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::analysis {

/// Within a node: time of an empty message, and the bandwidth of a GPU each way. Between nodes: the bandwidth of a node
/// each way.
struct PathCost {
  double alpha_us = 0, GBps = 0;
  Interval GBps_range{1, 1};              ///< 5 and 95 % points, relative to GBps
  double burst_bytes = 0;                 ///< that a link lets through at once after a rest
  Transport transport = Transport::nccl;  ///< whose algorithms collectives use
  double launch_us = 0;                   ///< of an NCCL collective, in addition to its steps
  bool is_fitted = false;
  int fitted_ranks = 0;     ///< the most that the fit covers
  double miss_percent = 0;  ///< median error of the fit on its own measurements
  std::string source;       ///< where the values come from, for the sheet Assumptions
};

/// Hardware that a cluster could have instead.
struct NextDevice {
  replay::Device device;
  double price_per_GPU_hour = 0;  ///< the cluster's own, unless given
  Interval price_range{1, 1};
  double power_kW_per_GPU = 0;  ///< unless given, the cluster's scaled by the ratio of the datasheets' powers
};

struct Cluster {
  std::string name;
  std::set<std::string> given;  ///< the keys that the scenario has for it
  double gpus_per_node = 8;
  /// If given, computation is predicted by operator, and its values are the defaults of those below.
  std::optional<replay::Device> device;
  double peak_TFLOPS = 0, efficiency = 0.4;
  double memory_GB = 80, reserve_GB = 4;  ///< the reserve: for the framework and fragmentation
  double price_per_GPU_hour = 0, power_kW_per_GPU = 0;
  Interval price_range{1, 1};           ///< 5 and 95 % points, relative to price_per_GPU_hour
  std::optional<Purchase> purchase;     ///< if the price follows from it
  std::optional<Reservation> reserved;  ///< other nodes cost price_per_GPU_hour
  double spare_nodes = 0;               ///< cost money but do not train
  PathCost intra, network;              ///< within one node, and between nodes
  Failures failures;                    ///< the scenario's, unless given
  std::optional<NextDevice> next;

  bool is_bought() const { return purchase && purchase->price_per_GPU > 0; }
  /// True if a price is given, even if it is 0.
  bool has_price() const { return purchase || given.contains("price_per_GPU_hour"); }
  /// Factor on the time of computations on the device: 1 unless peak_TFLOPS or efficiency were given as well.
  double slowdown_of_device() const;
  /// The average price of a GPU-hour over `nodes` that train and the spare ones, if nodes that are not reserved cost
  /// `price_of_others`.
  double average_price(double nodes, double price_of_others) const;
};

constexpr int most_global_batch = 1 << 30;

struct Scenario {
  std::string file;             ///< its name
  std::set<std::string> given;  ///< its own keys
  std::string question;
  double tokens = 0, sequence = 2048;
  /// Sequences of an optimizer step. With it the accumulation follows from the number of nodes; without, it is listed.
  std::optional<int> global_batch;
  std::vector<ModelShape> models;
  /// The framework whose collectives are planned.
  replay::Framework framework;
  /// ZeRO stages or their equivalents: DDP is 0, Megatron's distributed optimizer 1, and FSDP that keeps its weights
  /// between the passes 2, and otherwise 3.
  std::vector<int> stages;
  ParallelSearch parallel;                   ///< Megatron's sizes
  DataType reduce_type = DataType::float32;  ///< in which Megatron keeps and reduces gradients
  std::vector<ShardGroup> shard_groups;      ///< that share the states; DeepSpeed: a second copy of the weights
  std::vector<int> micro_batches, accumulations, nodes;
  std::vector<replay::Recompute> recompute;
  bool reduce_scatter = false;   ///< gradients of stages 1 and 2: false is the all_reduce that DeepSpeed issues
  std::optional<bool> overlaps;  ///< DeepSpeed's overlap_comm; nothing: its default, only in stage 3
  double bucket_elements = 5e8;
  std::optional<replay::Software::Kind> software;  ///< nothing: the usual one, with a loss that is not fused
  replay::ProductType products = replay::ProductType::models;
  std::optional<double> deadline_days, budget;  ///< the budget in the currency
  /// Wanted probability of meeting each of them.
  double certainty = 0.9;
  std::string currency = "USD";
  std::optional<Day> start;  ///< on which training begins
  double utilisation = 1;    ///< share of the days in which the cluster trains
  /// Factors on the network's bandwidth and on the memory, to estimate the value of having more.
  double network_times = 2, memory_times = 1.5;
  std::vector<Cluster> clusters;
  replay::ComparedSteps compared;  ///< the published steps behind the rows' errors

  /// If false, costs are unknown, and GPU-hours are compared instead.
  bool has_prices() const;
  /// Megatron's steps: a model may be split over GPUs.
  bool has_roles() const { return framework.kind == replay::Framework::Kind::megatron; }
  replay::Software::Kind software_kind() const {
    return software.value_or(has_roles() ? replay::Software::Kind::megatron_core : replay::usual_software);
  }
};

/// Reads YAML. A cluster's `network: {transport: nccl, network: ib}` takes alpha and rate from the fit. Stages,
/// groups that share states, micro-batches, recomputation and nodes that are left out are searched. Throws BadUsage
/// with all problems, a line for each, with file and line.
Scenario read_scenario(const std::string& file, const std::string& text, const std::optional<Fit>& fit);

}  // namespace ringmark::analysis

// The command line of ringmark-replay predict.
#pragma once

#include <optional>
#include <string>

#include "base/flags/flags.hpp"
#include "replay/flags/compute_flags.hpp"
#include "replay/flags/step_flags.hpp"
#include "replay/generate/megatron/arguments.hpp"
#include "replay/predict/backwards.hpp"
#include "replay/predict/network.hpp"
#include "replay/predict/simulate.hpp"
#include "results/fit.hpp"

namespace ringmark::replay {

struct PredictOptions {
  std::string file, timeline, json;
  std::optional<StepFlags::Step> step;
  std::optional<RoleStep> parallel;  ///< instead of a step or a file
  std::optional<int> ranks, ranks_per_node;
  std::optional<Fit> fit;  ///< empty if its NCCL links are used instead
  FitChoice choice;
  Links links;
  ComputeFlags::Given compute;
  double jitter_percent = 0;
  std::optional<double> contention_percent;
  std::optional<double> measured_s;
  std::optional<Solve> solve;
  double of_ideal_percent = 100;  ///< with `solve`
  bool has_bandwidth = true;      ///< if false, the network has the bandwidth that --solve finds
};

/// The network of the options' fit, with links within nodes if given; of these links if there is no fit.
std::unique_ptr<Network> network_of(const PredictOptions& options, const Links& links);

/// Whether computations take their times from a shipped or calibrated device.
bool is_modelled(const PredictOptions& options, const StepTrace& trace, const ComputeModel& model);

/// How much longer computations take while collectives run, as a share.
double contention_of(const PredictOptions& options, const StepTrace& trace, const ComputeModel& model);

Scene scene_of(const PredictOptions& options, const StepTrace& trace, const ComputeModel& model, int ranks);

class PredictFlags {
 public:
  explicit PredictFlags(Flags& flags);
  void check();

  PredictOptions options;

 private:
  void declare_network();
  void declare_backwards();
  void check_backwards();
  void check_solve_ranks();
  int usual_ranks();
  void check_network();
  void take_fit();
  void check_within();
  void require_both_within();

  Flags& flags_;
  StepFlags step_{flags_};
  ComputeFlags compute_{flags_};
  std::string fit_;
  std::optional<double> alpha_us_, GBps_, within_alpha_us_, within_GBps_, of_ideal_percent_;
  std::optional<Transport> transport_;
  std::size_t burst_bytes_ = 0;
};

}  // namespace ringmark::replay

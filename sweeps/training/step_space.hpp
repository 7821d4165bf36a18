// The steps that a tuning may choose from: the user's own and those with changes, as the framework really runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/flags/predict_options.hpp"
#include "replay/trace/step_trace.hpp"
#include "sweeps/training/knob.hpp"
#include "sweeps/training/step_description.hpp"
#include "sweeps/training/training_run.hpp"

namespace ringmark::sweep {

struct Candidate {
  std::string name;  ///< of its file: default, 001
  StepDescription description;
  replay::StepTrace trace;  ///< for predictions; at most four micro-steps
  /// The same step with three micro-steps, if it has more than four: each further one takes as long as the fourth.
  std::optional<replay::StepTrace> shorter = {};
  std::optional<replay::StepSettings> settings = {};  ///< of the whole step; empty if the user gave a trace

  int micro_steps() const { return settings ? settings->micro_steps : trace.micro_steps; }
  /// The samples of all ranks in a step.
  std::uint64_t samples() const {
    return trace.micro_batch * static_cast<std::uint64_t>(micro_steps()) * static_cast<std::uint64_t>(trace.ranks);
  }
  double memory_bytes() const { return replay::total_bytes(trace.memory); }
};

struct Candidates {
  std::vector<Candidate> all;  ///< the step that they change comes first; no two are the same
  std::size_t alike = 0;       ///< left out because they change nothing
  /// Changes that the framework's version, or the model, does not allow, and why.
  std::vector<std::pair<std::string, std::string>> refused;
};

class StepSpace {
 public:
  /// Reads the user's own step. `folder` is for files of steps. Throws BadUsage, which names the key of the run's file.
  StepSpace(const TrainingRun& run, std::string folder);

  const Candidate& own() const { return own_; }
  /// The user's own step before its gradient accumulation was derived from the global batch.
  const StepDescription& given() const { return given_; }
  /// The options with which all steps are predicted.
  const replay::PredictOptions& options() const { return options_; }
  /// The link between two hosts as it was measured, for a run whose file gives no network.
  void take_link(const replay::Link& link) { options_.links.between = link; }
  std::uint64_t global_batch() const { return own_.samples(); }
  /// Why the step cannot be changed; empty if it can.
  std::string why_fixed() const;

  /// All combinations of the part's changes to `base`, with its global batch. Throws BadUsage if the file names
  /// settings that the framework does not have.
  Candidates candidates(Part part, const Candidate& base);

  /// The candidate's trace with all of its micro-steps.
  replay::StepTrace whole_trace(const Candidate& candidate) const;
  /// Writes that trace to a file for launches, and returns its path. Throws BadUsage if the file contains another step.
  std::string trace_file(const Candidate& candidate) const;

 private:
  using Choice = std::pair<const Knob*, std::string>;
  class Collector;
  using Options = std::vector<std::pair<const Knob*, std::vector<std::string>>>;

  replay::PredictOptions read(const StepDescription& description, const std::string& config_file) const;
  StepDescription own_description() const;
  void settle_batch(StepDescription& description, const replay::StepSettings& settings) const;
  void take(const replay::StepSettings& settings, Candidate& candidate) const;
  std::vector<std::string> micro_batches() const;
  Options knobs_of(Part part) const;
  void check_values(Part part) const;
  Candidate changed(const Candidate& base, const std::vector<Choice>& values, const std::string& micro_batch) const;
  bool has_fixed_times() const;

  const TrainingRun& run_;
  std::string folder_;
  replay::PredictOptions options_;
  replay::Framework framework_;
  Candidate own_;
  StepDescription given_;
  int made_ = 0;
};

}  // namespace ringmark::sweep

// A step as predict uses it, whether its ranks are alike or have roles.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/flags/predict_options.hpp"
#include "replay/predict/backwards.hpp"
#include "replay/step/interval.hpp"
#include "replay/step/timeline_file.hpp"
#include "results/files/json_rows.hpp"

namespace ringmark::replay {

class PredictedStep {
 public:
  virtual ~PredictedStep() = default;

  /// All computations as a step without roles: for computation flags, rates and result rows.
  virtual const StepTrace& computations() const = 0;
  virtual int ranks() const = 0;
  virtual StepFamily family() const = 0;
  const ComputeModel& model() const { return model_; }
  /// Whether computations take their times from a shipped or calibrated device.
  bool is_modelled() const { return is_modelled_; }
  double contention() const { return contention_; }
  virtual bool has_roles() const = 0;
  virtual bool has_groups_within_nodes() const = 0;

  /// Of the rank that needs most memory; empty if unknown.
  virtual const std::vector<MemoryPart>& memory() const = 0;
  /// "stage 0"; empty if all ranks need the same.
  virtual std::string memory_owner() const = 0;

  /// The step for other links and computation speeds. It refers to this object.
  virtual RepeatableStep repeatable(const Links& links) const = 0;

  /// Call it once, before the functions below.
  virtual void simulate(Network& network) = 0;
  virtual double total_us() const = 0;
  virtual std::string table() const = 0;
  /// Columns of the row: the parts of the time, the bytes that a rank sends, and the slowest rank.
  virtual JsonRow parts() const = 0;
  virtual void add_to(TimelineFile& file) const = 0;

 protected:
  PredictedStep(const PredictOptions& options, const StepTrace& computations);

  ComputeModel model_;
  bool is_modelled_ = false;
  double contention_ = 0;
};

/// The step that the options describe, on `ranks` ranks if given.
std::unique_ptr<PredictedStep> predicted_step(const PredictOptions& options, std::optional<int> ranks = {});

std::unique_ptr<PredictedStep> predicted_uniform_step(const PredictOptions& options, StepTrace trace, int ranks);
/// Throws BadUsage for options that only steps without roles support.
std::unique_ptr<PredictedStep> predicted_role_step(const PredictOptions& options, RoleTrace trace);

}  // namespace ringmark::replay

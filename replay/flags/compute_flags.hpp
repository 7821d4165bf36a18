// The flags for what the ranks compute with, the same for run and predict.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/flags/flags.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::replay {

class ComputeFlags {
 public:
  struct Given {
    std::optional<Device> device;
    ComputeModel model;  ///< without the device
    std::map<int, double> slow_down;
    double size_scale = 1;
    std::optional<Software::Kind> software;  ///< instead of the trace's

    /// Throws BadUsage if the trace has computation without a time, and no flag gives one.
    ComputeModel model_for(const StepTrace& trace) const;
    Software::Kind software_for(const StepTrace& trace) const;
    /// Throws BadUsage if --slow-down names a rank that does not exist.
    void check_ranks(int ranks) const;
    /// Scales sizes by --scale-sizes, rounded up to a multiple of the group's ranks where each rank has a block. Counts
    /// are scaled one by one, and none becomes zero.
    void scale_sizes(StepTrace& trace) const;
    void scale_sizes(RoleTrace& trace) const;
    /// The name of the device that determines times; empty if all times are measured or the trace's.
    std::string device_of(const StepTrace& trace) const;
    std::vector<std::string> assumptions(const StepTrace& trace) const;

   private:
    void scale_size(Event& event, int group_ranks) const;
  };

  explicit ComputeFlags(Flags& flags) : flags_(flags) {}
  void declare();
  Given interpret() const;

 private:
  std::string take_slow_down(const std::string& word);

  Flags& flags_;
  Given given_;
  std::string device_, table_;
};

}  // namespace ringmark::replay

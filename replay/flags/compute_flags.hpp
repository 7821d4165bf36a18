// The flags that say what the ranks compute with: the same for run and predict.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/flags/run_options.hpp"
#include "replay/step/compute_model.hpp"

namespace ringmark::replay {

class ComputeFlags {
 public:
  void declare(CLI::App& app);

  struct Given {
    std::optional<Device> device;
    ComputeModel model;  ///< but for the device
    std::map<int, double> slow_down;
    double size_scale = 1;

    /// Throws BadUsage if the trace has computation without a time, and nothing says what it takes.
    ComputeModel model_for(const StepTrace& trace) const;
    /// Throws BadUsage if --slow-down names a rank that does not exist.
    void check_ranks(int ranks) const;
    /// Collectives as large as asked for, in whole shares of their groups.
    void scale_sizes(StepTrace& trace) const;
    /// The device that times come from; empty where all of them are measured, or the trace's.
    std::string device_of(const StepTrace& trace) const;
    std::vector<std::string> assumptions(const StepTrace& trace) const;
  };
  Given interpret(FlagReader& read) const;

 private:
  std::string device_, table_, forward_ms_, backward_ms_, step_ms_, scale_ = "1", size_scale_ = "1";
  std::vector<std::string> slow_down_;
};

}  // namespace ringmark::replay

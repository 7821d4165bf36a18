// The three steps of the method, measured by launches, each a sweep of its own, and the verification of their results.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweeps/training/budget.hpp"
#include "sweeps/training/shortlist.hpp"
#include "sweeps/training/stage.hpp"
#include "sweeps/training/transport_settings.hpp"
#include "sweeps/training/tuned_run.hpp"
#include "sweeps/training/verification.hpp"

namespace ringmark::sweep {

class LiveChain {
 public:
  /// Throws BadUsage, before anything is launched, for launches whose flags their programs refuse, and for a budget
  /// that is too small. All arguments must outlive it.
  LiveChain(const TrainingRun& run, StepSpace& space, std::string folder);

  /// What it will try, and for how long.
  std::string plan() const;
  /// Continues where an earlier call was interrupted. Throws CannotGoOn, Interrupted or std::system_error.
  TunedRun go();

 private:
  Sweep sweep_of(const std::string& question, const TransportSettings& transport) const;
  Sweep collective_sweep() const;
  void measure_network();
  void foresee();
  void tune_collective();
  void tune_step(Part which, int launches);
  void verify();
  void decide(const Verification& proof, std::size_t last);
  Stage run(const std::string& name, const std::string& command, Sweep sweep, double share_of_time);

  const TrainingRun& run_;
  StepSpace& space_;
  std::string folder_;
  Budget budget_;
  Forecast forecast_;
  std::vector<Variable> variables_;
  TransportSettings usual_, best_;
  Candidate step_, after_strategy_;
  Candidate likely_;               ///< the step that predictions expect at the end; step 1 tunes its collectives
  std::vector<Candidate> others_;  ///< steps of the previous part that fit into memory
  Shares shares_;
  std::size_t strategies_ = 0;
  std::map<std::string, std::string> files_;  ///< of the steps that are launched, by name
  TunedRun tuned_;
  bool own_fits_ = true;
};

}  // namespace ringmark::sweep

// The hosts under test, on which the ladder's programs are launched. Every launch's files stay in the folder, so that a
// ladder that was interrupted goes on with what is there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accept/criteria.hpp"
#include "base/system/signal_queue.hpp"
#include "results/record.hpp"
#include "sweeps/launch_rows.hpp"

namespace ringmark::accept {

/// A measurement of the ladder. The criteria's arguments come on top of it.
struct Measurement {
  sweep::Program program;
  std::map<std::string, sweep::Value> arguments;
};
Measurement links_measurement(const Criteria& criteria);
Measurement together_measurement(const Criteria& criteria);

/// Arguments in the criteria that the measuring programs refuse, or that the ladder sets itself. `file` is the
/// criteria's.
std::vector<Problem> argument_problems(const Criteria& criteria, const std::string& file);

/// The hosts by their places in the criteria: the facts of those that answer, the launcher's words for the others.
struct Visit {
  std::map<std::size_t, nlohmann::json> facts;
  std::map<std::size_t, std::string> why_not;
};

class Cluster {
 public:
  /// The criteria outlive this.
  Cluster(const Criteria& criteria, std::string folder);

  /// If all hosts answer at once, this is one launch, otherwise one for each host. Throws sweep::Interrupted.
  Visit visit() const;

  /// The hosts of the launches that follow. What was measured on others is removed.
  void measure_on(std::vector<std::size_t> hosts);

  /// Launches a program with a rank on each of the hosts, or reads what an earlier launch of this name has left. Throws
  /// sweep::Interrupted.
  sweep::LaunchRows launch(const std::string& name, const Measurement& measurement) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string mark(const std::string& name) const;
  std::string visit_together(const std::vector<std::size_t>& hosts, const std::string& to) const;

  const Criteria& criteria_;
  std::string folder_;
  std::vector<std::size_t> hosts_;  ///< that are measured on
  SignalQueue signals_;
};

}  // namespace ringmark::accept

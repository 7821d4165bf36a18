// The hosts under test, on which the ladder's programs are launched. Every launch's files stay in the folder, so that a
// ladder that was interrupted goes on with the tables that are there.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accept/checkup.hpp"
#include "accept/criteria.hpp"
#include "accept/measurements.hpp"
#include "base/system/deadline.hpp"
#include "base/system/signal_queue.hpp"
#include "sweeps/launch_rows.hpp"

namespace ringmark::accept {

/// The hosts by their places in the criteria: the facts of those that answer, the launcher's words for the others.
struct Visit {
  bool is_cut_off = false;  ///< the time was spent before all hosts could answer
  std::map<std::size_t, nlohmann::json> facts;
  std::map<std::size_t, std::vector<Complaint>> complaints;  ///< the doctor's, of hosts that it could examine
  std::map<std::size_t, std::string> why_not;
  std::map<std::size_t, std::string> why_not_examined;  ///< of hosts that answer
};

enum class VisitDepth {
  facts,        ///< what each host tells of itself
  examination,  ///< and what ringmark-doctor finds there
};

/// The time that Cluster::end_by allows is spent.
class TimeSpent final : public std::runtime_error {
 public:
  TimeSpent() : std::runtime_error("the time is spent") {}
};

/// A scan goes on without the links that fail: it has failed itself only if it left out rows.
void judge_scan(sweep::LaunchRows& launch, std::size_t link_rows);

/// A cluster as the ladder uses it. Tests put faults into one of their own.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// Ends all that follows by then: a visit is cut off, a launch throws TimeSpent.
  virtual void end_by(std::optional<Deadline> end) = 0;
  /// One launch if all hosts answer, otherwise others of parts of them. Throws sweep::Interrupted.
  virtual Visit visit(VisitDepth depth) const = 0;
  /// The hosts of the launches that follow. Measurements on other hosts are removed.
  virtual void measure_on(std::vector<std::size_t> hosts) = 0;
  /// Launches a program with a rank on each NIC of each of the hosts, or reads what an earlier launch of this name has
  /// left. Throws sweep::Interrupted, and BadUsage if the program refuses its flags.
  virtual sweep::LaunchRows launch(const std::string& name, const Measurement& measurement) const = 0;
  /// Waits. Throws sweep::Interrupted.
  virtual void pause(std::chrono::milliseconds time) const = 0;
  /// Removes what a launch of this name has left.
  virtual void forget(const std::string& name) = 0;
  /// How long each rank computed in a launch of a training step, the median of its steps. Empty if it wrote no samples.
  virtual std::vector<double> computation_us(const std::string& name) const = 0;
  /// Where the files of launches are.
  virtual const std::string& folder() const = 0;
};

class LaunchedCluster final : public Cluster {
 public:
  /// The criteria outlive this.
  LaunchedCluster(const Criteria& criteria, std::string folder);

  void end_by(std::optional<Deadline> end) override { end_ = end; }
  Visit visit(VisitDepth depth) const override;
  void measure_on(std::vector<std::size_t> hosts) override;
  sweep::LaunchRows launch(const std::string& name, const Measurement& measurement) const override;
  void pause(std::chrono::milliseconds time) const override;
  void forget(const std::string& name) override;
  std::vector<double> computation_us(const std::string& name) const override;
  const std::string& folder() const override { return folder_; }

 private:
  bool is_over() const { return end_ && end_->passed(); }
  /// At most this part of the time that is left.
  std::chrono::milliseconds within_end(std::chrono::milliseconds most, int part = 1) const;
  std::string mark(const std::string& name) const;
  std::string samples_file(const std::string& name) const;
  std::string run_on_each(const std::vector<std::size_t>& hosts, const std::string& to,
                          const std::vector<std::string>& program, std::chrono::seconds deadline) const;
  std::map<std::size_t, std::string> run_on_all(const std::vector<std::size_t>& hosts, const std::string& to,
                                                const std::vector<std::string>& program,
                                                std::chrono::seconds deadline) const;
  std::map<std::size_t, nlohmann::json> read_by_host(const std::string& from) const;

  const Criteria& criteria_;
  std::string folder_;
  std::vector<std::size_t> hosts_;  ///< that are measured on
  std::optional<Deadline> end_;
  SignalQueue signals_;
};

}  // namespace ringmark::accept

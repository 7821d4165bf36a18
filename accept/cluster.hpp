// The hosts under test, on which the stages' programs are launched. The files of every launch stay in the folder, so an
// interrupted run continues with the tables it already has.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accept/criteria.hpp"
#include "accept/fabric/checkup.hpp"
#include "accept/measurements.hpp"
#include "base/system/deadline.hpp"
#include "base/system/signal_queue.hpp"
#include "sweeps/launch/launch_rows.hpp"

namespace ringmark::accept {

/// The hosts by their index in the criteria: facts of those that answer, the launcher's message for the others.
struct Visit {
  bool is_cut_off = false;  ///< the time ran out before all hosts could answer
  std::map<std::size_t, nlohmann::json> facts;
  std::map<std::size_t, std::vector<Complaint>> complaints;  ///< from the doctor, for the hosts that it could examine
  std::map<std::size_t, std::string> why_not;
  std::map<std::size_t, std::string> why_not_examined;  ///< for hosts that answer
};

enum class VisitDepth {
  facts,        ///< what each host reports about itself
  examination,  ///< the same, and what ringmark-doctor finds there
};

/// The time that Cluster::end_by allows has run out.
class TimeSpent final : public std::runtime_error {
 public:
  TimeSpent() : std::runtime_error("the time has run out") {}
};

/// A scan continues without links that fail; the scan itself failed only if rows are missing.
void judge_scan(sweep::LaunchRows& launch, std::size_t link_rows);

/// A cluster as the stages use it. Tests inject faults into their own.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// Everything that follows ends by then: a visit is cut off, a launch throws TimeSpent.
  virtual void end_by(std::optional<Deadline> end) = 0;
  /// One launch if all hosts answer, otherwise further launches on subsets of them. Throws sweep::Interrupted.
  virtual Visit visit(VisitDepth depth) const = 0;
  /// The hosts that later launches run on. Measurements made on other hosts are removed.
  virtual void measure_on(std::vector<std::size_t> hosts) = 0;
  /// Launches a program with one rank per NIC of each host, or reads what an earlier launch of this name left. Throws
  /// sweep::Interrupted, and BadUsage if the program refuses its flags.
  virtual sweep::LaunchRows launch(const std::string& name, const Measurement& measurement) const = 0;
  /// Waits. Throws sweep::Interrupted.
  virtual void pause(std::chrono::milliseconds time) const = 0;
  /// Removes what a launch of this name left.
  virtual void forget(const std::string& name) = 0;
  /// How long each rank computed in a launch of a training step, as the median of its steps. Empty if it wrote no
  /// samples.
  virtual std::vector<double> computation_us(const std::string& name) const = 0;
  /// The folder with the files of the launches.
  virtual const std::string& folder() const = 0;
};

class LaunchedCluster final : public Cluster {
 public:
  /// The criteria must outlive this.
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
  /// Returns `most`, but at most the remaining time divided by `part`.
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
  std::vector<std::size_t> hosts_;  ///< the hosts that launches run on
  std::optional<Deadline> end_;
  SignalQueue signals_;
};

}  // namespace ringmark::accept

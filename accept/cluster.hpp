// The hosts under test, on which the ladder's programs are launched. Every launch's files stay in the folder, so that a
// ladder that was interrupted goes on with what is there.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accept/criteria.hpp"
#include "base/system/signal_queue.hpp"
#include "results/record.hpp"
#include "sweeps/launch_rows.hpp"

namespace ringmark::accept {

/// A signal asked for the end.
class Interrupted final : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

class Cluster {
 public:
  /// The criteria outlive this.
  Cluster(const Criteria& criteria, std::string folder);

  /// The facts of each host that answers, by its place among the hosts; `why_not` gets the launcher's words for the
  /// others. If all answer at once, this is one launch, otherwise one for each host.
  std::map<std::size_t, nlohmann::json> visit(std::map<std::size_t, std::string>& why_not) const;

  /// Launches a program with a rank on each of the hosts, or reads what an earlier launch of this name has left.
  sweep::LaunchRows launch(const std::string& name, sweep::Program program,
                           const std::map<std::string, sweep::Value>& arguments,
                           const std::vector<std::size_t>& hosts) const;

  const std::string& folder() const { return folder_; }

 private:
  sweep::Sweep sweep_of(const std::vector<std::size_t>& hosts) const;
  std::string mark(const std::string& name) const;
  std::string visit_together(const std::vector<std::size_t>& hosts, const std::string& to) const;

  const Criteria& criteria_;
  std::string folder_;
  SignalQueue signals_;
};

}  // namespace ringmark::accept

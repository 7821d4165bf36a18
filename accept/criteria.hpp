// A criteria file: the cluster, and the smallest loss of performance that matters. docs/guide/accept.md describes it.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accept/fabric/fabric.hpp"
#include "accept/judge/verdict.hpp"
#include "base/problem.hpp"
#include "sweeps/file/sweep.hpp"

namespace ringmark::accept {

/// The stages, in order.
enum class Stage {
  nodes,     ///< every host answers, has no problem of its own, and is set up like the others
  links,     ///< every pair of hosts reaches the expected rate over their first NICs
  rails,     ///< every NIC reaches the expected rate to the others of its rail
  leaves,    ///< an all_reduce within each leaf is as fast as in the other leaves
  together,  ///< an all_reduce over all hosts reaches the expected bus bandwidth
  step,      ///< in a training step, no rank takes longer to compute than the others
  soak,      ///< no stall for hours; requested by --for with its length, not by the criteria
};
std::string_view name(Stage stage);

struct Criteria {
  std::string name;
  sweep::Launcher launcher;
  Fabric fabric;
  std::map<std::string, sweep::Value> arguments;  ///< flags and options of the measuring programs
  std::map<Stage, std::map<std::string, sweep::Value>>
      arguments_of;  ///< a stage's own, added to those or replacing them
  int arguments_line = 1;
  std::map<std::string, sweep::Value> environment;
  ErrorRates rates;
  std::vector<Stage> stages;                 ///< by default, all that the fabric allows
  std::map<std::string, sweep::Value> step;  ///< flags of the reference step
  int step_line = 1;
  std::size_t size_bytes = std::size_t{1} << 20U;
  std::optional<double> link_GBps;     ///< expected; without it, pairs are compared with each other
  std::optional<double> busbw_GBps;    ///< expected for the all_reduce over all hosts
  std::string busbw_algorithm;         ///< the algorithm that busbw_GBps applies to; empty for any
  std::optional<double> step_ms;       ///< expected for the training step
  bool expects_what_is_usual = false;  ///< the rates come from a store of ringmark-history
  std::string published;  ///< the system in published_results() whose bus bandwidth is expected; empty for none
  bool is_box = false;    ///< the hosts belong to a lab and share one machine's cores
  std::chrono::milliseconds budget = std::chrono::minutes(10);
};

struct CriteriaFile {
  Criteria criteria;
  std::vector<Problem> problems;  ///< in line order; the criteria are valid only if it is empty
};

struct CriteriaKey {
  std::string_view name, meaning;
};
std::span<const CriteriaKey> all_criteria_keys();

/// The stages that the fabric allows: rails need several NICs per host, leaves need two leaves with two hosts each.
std::vector<Stage> possible_stages(const Fabric& fabric);

/// `file` is the path, used in messages and in the names of files next to it. `lab` is what a lab reports about its
/// fabric (fill_from_lab), or empty. Never throws on bad text.
CriteriaFile read_criteria(const std::string& text, const std::string& file, const std::string& lab = "");

}  // namespace ringmark::accept

// A file of criteria: the cluster, and the loss that matters. docs/guide/accept.md describes it.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accept/fabric.hpp"
#include "accept/verdict.hpp"
#include "base/problem.hpp"
#include "sweeps/sweep.hpp"

namespace ringmark::accept {

/// The steps of the ladder, in their order.
enum class Rung {
  nodes,     ///< every host answers, has no problem of its own, and is set up as the others
  links,     ///< every pair of hosts has the expected rate, over the first NIC of each
  rails,     ///< every NIC has the expected rate to those of its rail
  leaves,    ///< an all_reduce within each leaf is as fast as in the other leaves
  together,  ///< an all_reduce over all hosts has the expected bus bandwidth
  step,      ///< in a training step, no rank computes longer than the others
  soak,      ///< nothing stands still for hours; --for says how many, and no criterion asks for it
};
std::string_view name(Rung rung);

struct Criteria {
  std::string name;
  sweep::Launcher launcher;
  Fabric fabric;
  std::map<std::string, sweep::Value> arguments;                     ///< flags and options of the measuring programs
  std::map<Rung, std::map<std::string, sweep::Value>> arguments_of;  ///< further ones, or others, of a rung
  int arguments_line = 1;
  std::map<std::string, sweep::Value> environment;
  ErrorRates rates;
  std::vector<Rung> rungs;                   ///< without a choice, all that the fabric has something for
  std::map<std::string, sweep::Value> step;  ///< flags of the reference step
  int step_line = 1;
  std::size_t size_bytes = std::size_t{1} << 20U;
  std::optional<double> link_GBps;   ///< expected; without it, pairs are held against one another
  std::optional<double> busbw_GBps;  ///< expected of the all_reduce over all hosts
  std::string busbw_algorithm;       ///< of that expectation; empty if any
  std::optional<double> step_ms;     ///< expected of the training step
  bool is_box = false;               ///< the hosts are of a cluster in a box, and share the cores of a machine
  std::chrono::milliseconds budget = std::chrono::minutes(10);
};

struct CriteriaFile {
  Criteria criteria;
  std::vector<Problem> problems;  ///< in the order of their lines; the criteria are valid only if there are none
};

struct CriteriaKey {
  std::string_view name, meaning;
};
std::span<const CriteriaKey> all_criteria_keys();

/// Those for which the fabric has something: rails need several NICs in a host, leaves two leaves of two hosts.
std::vector<Rung> possible_rungs(const Fabric& fabric);

/// `file` is the path, for messages and for files that are named beside it. `lab` is what a cluster in a box tells of
/// its fabric (fill_from_lab), or empty. Bad text never throws.
CriteriaFile read_criteria(const std::string& text, const std::string& file, const std::string& lab = "");

}  // namespace ringmark::accept

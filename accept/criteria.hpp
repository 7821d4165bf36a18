// A file of criteria: the cluster, and the loss that matters. docs/ACCEPT.md describes it.
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
  nodes,     ///< every host answers, and is set up as the others
  links,     ///< every pair of hosts has the expected rate
  together,  ///< an all_reduce over all hosts has the expected bus bandwidth
};
std::string_view name(Rung rung);

struct Criteria {
  std::string name;
  sweep::Launcher launcher;
  Fabric fabric;
  std::map<std::string, sweep::Value> arguments;  ///< flags and options of the measuring programs
  int arguments_line = 1;
  std::map<std::string, sweep::Value> environment;
  ErrorRates rates;
  std::vector<Rung> rungs{Rung::nodes, Rung::links, Rung::together};
  std::size_t size_bytes = std::size_t{1} << 20U;
  std::optional<double> link_GBps;   ///< expected; without it, pairs are held against one another
  std::optional<double> busbw_GBps;  ///< expected of the all_reduce
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

/// `file` is the path, for messages and for files that are named beside it. Bad text never throws.
CriteriaFile read_criteria(const std::string& text, const std::string& file);

}  // namespace ringmark::accept

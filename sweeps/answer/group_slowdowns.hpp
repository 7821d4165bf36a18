// How much slower groups of ranks are alongside others than alone, over the launches of a sweep that varies --groups.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "results/schema/caveat.hpp"
#include "results/schema/record.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::sweep {

struct GroupSlowdown {
  std::string name;     ///< "all_reduce float32 sum, 2 ranks, ranks 0,2 of 0,2;1,3"
  std::string setting;  ///< the sweep's other variables
  std::uint64_t size_bytes = 0;
  std::vector<double> together_us, alone_us;  ///< one for each launch
  Difference difference;
  std::string refusal;  ///< why the two are not compared; `difference` is then meaningless
  std::vector<Caveat> caveats;
};

/// Collects rows of groups whose ranks are known; ignores other rows.
class GroupTimes {
 public:
  /// `setting` is the launch's, without its groups.
  void add(const Record& row, const std::string& setting);

  /// One call of compare_launches compares every group that ran alongside others with the same ranks alone, from any
  /// launches.
  std::vector<GroupSlowdown> slowdowns() const;

 private:
  struct Key {
    std::string setting, ranks;  ///< `ranks` is the case that the row measures, without its groups
    std::uint64_t size_bytes;
    auto operator<=>(const Key&) const = default;
  };
  struct Launches {
    std::string name;
    std::map<std::size_t, std::vector<double>> by_launch;
    std::set<std::string> networks;
    CaveatTally caveats;
    std::vector<double> times_us() const;
  };
  std::map<Key, Launches> alone_;
  std::map<Key, std::map<std::string, Launches>> together_;  ///< by the groups that ran
};

/// A table whose first columns are slowdown and interval; empty if `slowdowns` is.
std::string in_words(const std::vector<GroupSlowdown>& slowdowns);

}  // namespace ringmark::sweep

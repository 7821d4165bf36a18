// The hosts of a cluster as series of their own, to find those that drift away from the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "history/answers/chains.hpp"
#include "history/questions/odd.hpp"

namespace ringmark::history {

/// The hosts that took part in launches of one kind: "all_reduce, 1M and more".
struct Fleet {
  std::string kind;
  std::vector<HostSeries> hosts;
  std::set<std::vector<std::string>> links;  ///< measured between these hosts
};

/// What a launch's time is compared with. The usual time of its series allows for links that differ; the usual time of
/// all links of its case shows a link that was always slow.
enum class Usual { of_series, of_case };

/// A host's value in a launch is the median of times over usual times, of its links or of the collectives that it took
/// part in. One slow host at the other end of a link is therefore not seen in the values of the others.
class Fleets {
 public:
  Fleets(Store& store, const std::vector<Series>& series, const Selection& selection, Usual usual);

  std::set<std::string> kinds() const;
  /// The fleet of a kind, from launches without links of these hosts. Empty if every launch had all hosts and there is
  /// no link, which says nothing about one host.
  std::optional<Fleet> fleet(const std::string& kind, const std::set<std::string>& without = {}) const;
  /// The fleets of every kind that has one.
  std::vector<Fleet> all() const;

 private:
  /// A time in a launch over the usual time.
  struct Relative {
    std::chrono::sys_seconds time;
    std::int64_t launch = 0;
    double log = 0;
  };
  struct SeriesTimes {
    std::string kind, of_case;
    std::vector<std::string> ends;  ///< of a link; empty if all hosts of a launch took part
    double usual_us = 0;
    std::vector<Relative> launches;
  };

  static std::vector<Relative> relative_times(const std::vector<LaunchTime>& launches, double usual_us);
  static std::vector<Relative> medians_of_launches(const std::vector<std::span<const Relative>>& parts);
  void compare_within_cases();

  std::vector<SeriesTimes> series_;
  std::map<std::int64_t, std::vector<std::string>> hosts_;  ///< of each launch
};

}  // namespace ringmark::history

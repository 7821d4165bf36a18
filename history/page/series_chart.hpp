// The chart of a series on the page.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "history/answers/chains.hpp"
#include "history/questions/changes.hpp"
#include "history/questions/normal.hpp"

namespace ringmark::history {

using PageJson = nlohmann::ordered_json;

/// Numbers the launches that points of the page link to.
class LinkedLaunches {
 public:
  std::size_t number_of(std::int64_t launch);
  /// [run id, time, file] of each.
  PageJson to_json(Store& store) const;

 private:
  std::map<std::int64_t, std::size_t> numbers_;
  std::vector<std::int64_t> launches_;
};

struct SeriesChart {
  std::string operation;   ///< "all_reduce"
  double badness = 0;      ///< logarithm of how much slower it became and how much slower its latest launch is
  bool is_slower = false;  ///< the latest launch took longer than the range
  PageJson json;
};

/// `changes` are those of the chain. A point is a launch, or the median launch of some days if there are many.
SeriesChart series_chart(const std::string& name, const Chain& chain, const std::vector<Change>& changes,
                         LinkedLaunches& linked);

/// Whole seconds since 1970.
std::int64_t page_time(std::chrono::sys_seconds time);

}  // namespace ringmark::history

// Where bandwidth is lost between the wire and the application: link rate, point to point, collective by our schedules,
// MPI or NCCL.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/read/read_results.hpp"

namespace ringmark::analysis {

struct Level {
  std::string name;   ///< "link rate", "point to point", or a transport
  double GBps;        ///< algbw between two ranks for a link; busbw for a collective; each at its largest size
  std::string where;  ///< that size, and any caveat
  double of_first_percent, lost_percent;  ///< of the first level; relative to the level above
};

struct Waterfall {
  std::string case_name;
  std::vector<Level> levels;
};

/// A waterfall for each measured case and network; none without a limit to start from, measured or given. `link_GBps`
/// is the link's rate, if it is known.
std::vector<Waterfall> waterfalls(const Table& table, const std::vector<std::size_t>& rows,
                                  std::optional<double> link_GBps);

/// A link's bandwidth as ringmark-link measured it: the median over pairs, at the largest size. Nothing if it was not
/// measured, or if the rows crossed several networks.
std::optional<double> point_to_point_GBps(const Table& table, const std::vector<std::size_t>& rows);

std::string print(const std::vector<Waterfall>& waterfalls);

}  // namespace ringmark::analysis

#include "transports/schedules/cost.hpp"

#include <algorithm>
#include <map>

namespace ringmark {

Cost cost_of(const Schedule& schedule) {
  std::map<int, int> classes;  // class → a rank of it
  for (int rank = 0; rank < schedule.ranks(); ++rank) classes.try_emplace(schedule.symmetry_class(rank), rank);
  std::size_t chunks = 0;
  Step step;
  for (int s = 0; s < schedule.steps(); ++s) {
    std::size_t most = 0;
    for (const auto& [symmetry_class, rank] : classes) {
      step.clear();
      schedule.append(rank, s, step);
      most = std::max({most, step.sends.size(), step.receives.size()});
    }
    chunks += most;
  }
  return {static_cast<double>(schedule.steps()), static_cast<double>(chunks) / schedule.chunks()};
}

}  // namespace ringmark

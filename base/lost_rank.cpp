#include "base/lost_rank.hpp"

#include <fmt/format.h>

namespace ringmark {

std::string in_words(const LostRank& lost) {
  return fmt::format("lost rank {} on {}: {}", lost.rank, lost.host, lost.reason);
}

}  // namespace ringmark

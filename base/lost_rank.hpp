// A lost rank, as the remaining ranks describe it.
#pragma once

#include <string>

namespace ringmark {

struct LostRank {
  int rank = 0;
  std::string host, reason;

  bool operator==(const LostRank&) const = default;
};

/// "lost rank 2 on node3: its connection closed".
std::string in_words(const LostRank& lost);

}  // namespace ringmark

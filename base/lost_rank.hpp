// A rank that is gone, in the words in which the ranks that are left name it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

struct LostRank {
  int rank = 0;
  std::string host, reason;

  bool operator==(const LostRank&) const = default;
};

/// "lost rank 2 on node3: its connection closed".
std::string in_words(const LostRank& lost);

/// The first lost rank that a text names, a line of a log or the detail of a row.
std::optional<LostRank> find_lost_rank(std::string_view text);

}  // namespace ringmark

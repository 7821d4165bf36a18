// The number of ranks of an nccl-tests table, from all the evidence in the file.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation.hpp"

namespace ringmark::analysis {

class RankEvidence {
 public:
  /// The file states a number: "its list of ranks", "NCCL's log".
  void state(int ranks, const std::string& source);
  /// The file lists this rank, so it has at least rank + 1 ranks.
  void see_rank(int rank);
  /// busbw over algbw of a row, as printed, bounds the number.
  void bound(Collective collective, std::string_view algbw, std::string_view busbw);
  bool may_be(int ranks) const { return ranks > last_rank_ && ranks >= least_ && ranks <= most_; }
  /// False if no number of ranks fits the values seen so far.
  bool fits_any() const;
  /// The number that the file states; nothing if it states none, or several.
  std::optional<int> stated() const;

  struct Count {
    std::optional<int> ranks;
    std::string note;     ///< a guess, or why `asked` is not used
    std::string refusal;  ///< why the number is unknown
  };
  /// `asked` is the value of --ranks: it decides if the file leaves the number open, but never overrides what the file
  /// proves.
  Count settle(const std::optional<int>& asked) const;

 private:
  struct Stated {
    int ranks;
    std::string source;
  };
  std::string bounds_in_words() const;

  std::vector<Stated> stated_;
  int last_rank_ = 0;
  double least_ = 1, most_ = std::numeric_limits<double>::infinity();
};

}  // namespace ringmark::analysis

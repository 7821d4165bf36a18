// The number of ranks of a table of nccl-tests, by everything that the file says about it.
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
  /// The file lists a rank, so that there is one more than its number.
  void see_rank(int rank);
  /// busbw over algbw of a row, as printed, bounds the number.
  void bound(Collective collective, std::string_view algbw, std::string_view busbw);
  bool may_be(int ranks) const { return ranks > last_rank_ && ranks >= least_ && ranks <= most_; }
  /// False if no number of ranks fits the figures seen so far.
  bool fits_any() const;
  /// The number that the file states; nothing if it states none, or several.
  std::optional<int> stated() const;

  struct Count {
    std::optional<int> ranks;
    std::string note;     ///< a guess, or why `asked` is not used
    std::string refusal;  ///< the reason that there is no number
  };
  /// `asked` is the number of --ranks: it decides where the file leaves the number open, and overrules no proof.
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

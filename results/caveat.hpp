// Reasons to doubt that a row's time is the network's. A verdict that rests on such a row shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringmark {

/// MPI polls while it waits, and more ranks than cores do so.
struct PollingOnSharedCores {
  int ranks = 0, cores = 0;

  bool operator==(const PollingOnSharedCores&) const = default;
};

/// Several ranks take turns on one GPU.
struct SharedGpu {
  bool operator==(const SharedGpu&) const = default;
};

/// So many segments were sent again that the median operation may have waited for one.
struct Retransmission {
  std::uint64_t segments = 0;

  bool operator==(const Retransmission&) const = default;
};

/// The 95 % interval of the row's median is too wide to act on.
struct WideInterval {
  double percent = 0;  ///< half of its width over the median

  bool operator==(const WideInterval&) const = default;
};

/// All ranks are on one host of a cluster in a box, whose links nothing passes.
struct OneLabHost {
  bool operator==(const OneLabHost&) const = default;
};

/// The median operation is over before its bytes can have passed the link: a shaper's bucket or a buffer took them.
struct FasterThanLink {
  double percent = 0;  ///< of the link's rate

  bool operator==(const FasterThanLink&) const = default;
};

using Caveat = std::variant<PollingOnSharedCores, SharedGpu, Retransmission, WideInterval, OneLabHost, FasterThanLink>;

/// "shared_cores:4/2", as files have it: a word without blanks, and its numbers.
std::string code_of(const Caveat& caveat);
/// Nothing for another text.
std::optional<Caveat> parse_caveat(std::string_view code);
/// For display; nothing reads it back.
std::string in_words(const Caveat& caveat);

/// True if the time says too little for a decision. Segments that were sent again are the network's own doing, and so
/// is what a bucket or a buffer lets through at once.
bool forbids_decision(const Caveat& caveat);
bool forbid_decision(const std::vector<Caveat>& caveats);

/// "4 ranks share 2 cores, …; 12 segments were sent again …".
std::string in_words(const std::vector<Caveat>& caveats);

/// The figures of a row that may give rise to a caveat.
struct DoubtfulFigures {
  std::optional<double> time_us_p50, time_us_ci_low, time_us_ci_high;
  std::optional<double> retransmits, samples;
};
std::vector<Caveat> caveats_of_figures(const DoubtfulFigures& figures);

/// Adds those of kinds that are not there yet, and keeps the worse of two of one kind.
void merge(std::vector<Caveat>& caveats, const std::vector<Caveat>& more);

/// The caveats of many rows together: each kind once, with its worst figures. An interval counts if most rows have such
/// a wide one, since the other launches make up for a few.
class CaveatTally {
 public:
  void add(const std::vector<Caveat>& of_row);
  std::vector<Caveat> caveats() const;

 private:
  std::size_t rows_ = 0, wide_intervals_ = 0;
  std::vector<Caveat> found_;
};

}  // namespace ringmark

// Reasons to doubt that a row's time reflects the network. Every verdict that rests on such a row shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringmark {

/// MPI polls while it waits, and there are more ranks than cores.
struct PollingOnSharedCores {
  int ranks = 0, cores = 0;

  bool operator==(const PollingOnSharedCores&) const = default;
};

/// Several ranks take turns on one GPU.
struct SharedGpu {
  bool operator==(const SharedGpu&) const = default;
};

/// Enough segments were retransmitted that the median operation may have waited for one.
struct Retransmission {
  std::uint64_t segments = 0;

  bool operator==(const Retransmission&) const = default;
};

/// The 95 % interval of the row's median is too wide to act on.
struct WideInterval {
  double percent = 0;  ///< half of its width, relative to the median

  bool operator==(const WideInterval&) const = default;
};

/// All ranks are on one host of a lab, so no byte passes the lab's links.
struct OneLabHost {
  bool operator==(const OneLabHost&) const = default;
};

/// The median operation ends sooner than the link's rate allows, because a token bucket or a buffer absorbed its bytes.
struct FasterThanLink {
  double percent = 0;  ///< of the link's rate

  bool operator==(const FasterThanLink&) const = default;
};

using Caveat = std::variant<PollingOnSharedCores, SharedGpu, Retransmission, WideInterval, OneLabHost, FasterThanLink>;

/// "shared_cores:4/2", as written to files: a word without blanks, and its numbers.
std::string code_of(const Caveat& caveat);
/// Empty for other text.
std::optional<Caveat> parse_caveat(std::string_view code);
/// For display only; nothing parses it.
std::string in_words(const Caveat& caveat);

/// True if the time is too unreliable for a decision. Retransmissions, and bytes that a token bucket or a buffer
/// absorbs, do not forbid one: they are the network's own behavior.
bool forbids_decision(const Caveat& caveat);
bool forbid_decision(const std::vector<Caveat>& caveats);

/// "4 ranks share 2 cores, …; 12 segments were retransmitted …".
std::string in_words(const std::vector<Caveat>& caveats);

/// The values of a row that may cause a caveat.
struct DoubtfulFigures {
  std::optional<double> time_us_p50, time_us_ci_low, time_us_ci_high;
  std::optional<double> retransmits, samples;
};
std::vector<Caveat> caveats_of_figures(const DoubtfulFigures& figures);

/// Adds caveats of kinds that are not in the list yet, and keeps the worse of two of the same kind.
void merge(std::vector<Caveat>& caveats, const std::vector<Caveat>& more);

/// The caveats of many rows together: each kind once, with its worst values. A wide interval counts only if most rows
/// have one: the other launches compensate for a few.
class CaveatTally {
 public:
  void add(const std::vector<Caveat>& of_row);
  std::vector<Caveat> caveats() const;

 private:
  std::size_t rows_ = 0, wide_intervals_ = 0;
  std::vector<Caveat> found_;
};

}  // namespace ringmark

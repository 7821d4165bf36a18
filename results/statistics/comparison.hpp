// The verdict on settings: is one faster than the baseline, launch by launch? A sweep's summary, the verification of a
// tuning run, and every analysis decide with it.
// The verdict rests on the Mann-Whitney test if there are enough launches for it to reach the level left by the
// correction for multiple comparisons, and otherwise on Welch's test of the logarithms. Against earlier launches of the
// same setting it is Student's test, for which one launch is enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/statistics/statistics.hpp"

namespace ringmark {

/// One time for each launch of a setting, and for each launch of the baseline. Neither is empty; all are above 0.
struct LaunchTimes {
  std::vector<double> times_us, baseline_us;
  bool is_baseline_exact = false;  ///< the baseline is one number that does not scatter, such as a published one
  bool is_baseline_alike = false;  ///< the baseline is earlier launches of the same setting, which scatter as much
};

enum class Verdict { faster, slower, no_difference, too_few };
std::string_view name(Verdict verdict);
inline bool is_decided(Verdict verdict) { return verdict == Verdict::faster || verdict == Verdict::slower; }

struct Difference {
  double ratio = 1;                  ///< of the medians over launches; below 1 the setting is faster
  std::optional<Interval> interval;  ///< 95 %: bootstrap over launches, or Welch's with fewer than four on a side
  double p = 1;                      ///< corrected for all comparisons of the call
  /// 95 %, for the ratio of geometric means, by Welch's test. Empty with fewer than two launches on a side.
  std::optional<Interval> mean_interval;
  double delta = 0;       ///< Cliff's delta: 1 if every launch beats every launch of the baseline
  bool by_ranks = false;  ///< p comes from the Mann-Whitney test
  Verdict verdict = Verdict::too_few;
  std::size_t launches = 0, baseline_launches = 0;
  bool is_baseline_exact = false;

  /// On the side with fewer launches; an exact baseline does not count.
  std::size_t fewest_launches() const { return is_baseline_exact ? launches : std::min(launches, baseline_launches); }

  bool operator==(const Difference&) const = default;
};

/// The usual probability of a false alarm in any of the comparisons of a call.
constexpr double usual_level = 0.05;

/// One difference per pair. `level` is the probability of a false alarm in any of them, by Holm's correction. The order
/// of the pairs and of the launches does not matter.
std::vector<Difference> compare_launches(const std::vector<LaunchTimes>& pairs, double level = usual_level);

/// The number of launches per setting, baseline included, with which none of this many comparisons is too_few. Fewer
/// may be enough where the times scatter little.
std::size_t enough_launches(std::size_t comparisons, double level = usual_level);
/// "36 of 40 comparisons are undecided: too few launches; 6 of each setting are enough". Empty if `undecided` is 0.
/// With an exact baseline it asks for launches of the setting alone.
std::string undecided_in_words(std::size_t undecided, std::size_t comparisons, double level = usual_level,
                               bool is_baseline_exact = false);

/// True if `one` is significantly faster than the baseline and has a lower ratio than `best`, which may be null; p
/// breaks ties.
bool beats(const Difference& one, const Difference* best);

/// True if the setting is significantly slower, and the medians differ by more than `percent`.
bool is_slower_than(const Difference& difference, double percent);

/// Explains why the times of two settings must not be compared, given the networks that their bytes crossed: launches
/// of one setting differ from each other, or the two settings differ although the comparison is not about the path
/// (`is_path_asked`). Empty if they may be compared.
std::string path_mismatch(const std::set<std::string>& networks, const std::set<std::string>& baseline_networks,
                          bool is_path_asked);

/// "12.3 % faster (10.1 to 14.4)", "too few launches to tell (2 against 3)".
std::string in_words(const Difference& difference);

/// The verdict that a reader may act on: "undecided: in doubt (measured 3.1 times faster)" if the times are in doubt,
/// otherwise as above.
std::string judged_in_words(const Difference& difference, bool is_in_doubt);
/// The same in a word: "undecided" instead of "faster" and "slower" where the times are in doubt.
std::string_view judged_name(Verdict verdict, bool is_in_doubt);

/// "12.3 % faster", "3.1 times slower".
std::string difference_words(double ratio);
/// "12.3 % faster (10.1 to 14.4)", "3.0 % faster (8.0 % faster to 1.2 % slower)".
std::string difference_words(double ratio, Interval interval);

}  // namespace ringmark

// The answer to a sweep's question: the default, the best setting and their difference, for each measured case.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/schema/caveat.hpp"
#include "results/schema/record.hpp"
#include "results/statistics/comparison.hpp"
#include "sweeps/answer/group_slowdowns.hpp"
#include "sweeps/file/plan.hpp"
#include "sweeps/run/journal.hpp"

namespace ringmark::sweep {

struct MeasuredSetting {
  std::string name;              ///< "tcp.sockets=2 algorithm=unset"
  std::vector<double> times_us;  ///< one for each launch
  /// The difference from the default; none for the default itself, or if the two cannot be compared.
  std::optional<Difference> difference;
  std::string refusal;          ///< why this setting is not compared with the default, although both were measured
  std::vector<Caveat> caveats;  ///< of its rows
};

/// The settings that were measured for one case at one size. Cases differ in ranks, sizes, types, operations,
/// placements, models or devices; all other variables are settings to choose from.
struct MeasuredCase {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::vector<MeasuredSetting> settings;
  std::optional<std::size_t> default_setting;  ///< none if no launch measured it

  /// The setting with the largest proven gain over the default; if no gain is proven, the one with the smallest median.
  /// A difference that is_doubted() proves nothing.
  const MeasuredSetting& best() const;
  /// True if caveats of the setting's or the default's rows forbid a decision.
  bool is_doubted(const MeasuredSetting& setting) const;
};

/// Rows of a setting that are not compared, since they are not `ok`.
struct LeftOut {
  std::string setting;
  Status status;
  std::size_t rows;
  std::string detail;  ///< of the first row
};

struct Answer {
  std::string question, default_setting;
  std::vector<MeasuredCase> cases;
  std::size_t time_sliced = 0;  ///< number of rows left out, because their ranks share a GPU
  std::vector<LeftOut> left_out;
  std::vector<GroupSlowdown> slowdowns;
};

/// `rows` come from results.csv, `done` from the journal. One call of compare_launches compares every setting of every
/// case with the default, as `ringmark-analyze compare --by configuration` does.
Answer answer(const Sweep& sweep, const Plan& plan, const std::vector<Record>& rows, const std::vector<Done>& done);

std::string in_words(const Answer& answer);

/// The caveats of all rows of these points.
std::vector<Caveat> caveats_of(const std::vector<Record>& rows, const std::vector<Done>& done,
                               const std::set<std::size_t>& points);

}  // namespace ringmark::sweep

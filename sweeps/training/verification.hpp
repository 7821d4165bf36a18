// Verifies a tuning: the default and the result of each step of the method, in fresh launches that alternate.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/schema/caveat.hpp"
#include "results/schema/record.hpp"
#include "results/statistics/comparison.hpp"
#include "sweeps/training/stage.hpp"
#include "sweeps/training/step_space.hpp"
#include "sweeps/training/transport_settings.hpp"

namespace ringmark::sweep {

/// A step with the transport's settings, and its rows.
struct VerifiedSetting {
  Candidate step;
  TransportSettings transport;
  std::vector<Record> rows = {};

  std::vector<double> times_us() const;
  std::optional<double> median_of(std::optional<double> StepResult::*figure) const;
};

class Verification {
 public:
  /// Every setting has the transport's usual settings or the best ones. The first one that is added is the default.
  Verification(TransportSettings usual, TransportSettings best) : usual_(std::move(usual)), best_(std::move(best)) {}

  /// Returns the setting's number, which is the old one if it was added before.
  std::size_t add(const Candidate& step, bool has_best);
  const VerifiedSetting& operator[](std::size_t number) const { return settings_[number]; }
  std::size_t size() const { return settings_.size(); }

  /// Makes a sweep vary these settings and no others. `files` has the steps by name.
  void vary(const std::map<std::string, std::string>& files, Sweep& sweep) const;
  /// Ignores a row that is not `ok`.
  void add_row(std::size_t number, Record row);
  /// Reads the rows of such a sweep.
  void read(const std::map<std::string, std::string>& files, const Stage& stage);

  /// Empty if one of the two has no rows.
  std::optional<Difference> compare(std::size_t one, std::size_t with) const;

  struct Best {
    /// The default if no setting is shown to be faster than it. Otherwise the setting with the fewest changes among
    /// those that are and that the fastest one is not shown to beat.
    std::size_t number = 0;
    std::optional<Difference> difference;  ///< from the default, corrected for all comparisons
    std::vector<Caveat> doubts;            ///< those that keep a faster setting from being chosen
  };
  Best best() const;

 private:
  std::size_t changes(std::size_t number) const;

  TransportSettings usual_, best_;
  std::vector<VerifiedSetting> settings_;
};

}  // namespace ringmark::sweep

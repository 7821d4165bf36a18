// Chains of series, since a nightly run whose settings change one day continues as another series of the same case.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "history/questions/point.hpp"
#include "history/store/launch_times.hpp"
#include "history/store/query.hpp"

namespace ringmark::history {

/// The launches of one case, with one setting at a time.
struct Chain {
  std::string cluster{};       ///< the selected one; empty for all
  std::string case_name;       ///< "all_reduce float32 sum, 8 ranks on 4 nodes, 1M"
  std::vector<Series> series;  ///< one after the other
  TimeSpan span;
  std::vector<LaunchTime> launches;
  std::vector<std::size_t> series_of;  ///< of each launch, an index of `series`

  const Series& last() const { return series.back(); }
  std::vector<Point> points() const;
};

/// Joins series of one case that follow each other without overlap in time. If a series could continue several chains,
/// it continues the one from which it differs in the fewest settings. Chains without a launch are left out.
std::vector<Chain> chains_of(Store& store, const std::vector<Series>& series, const Selection& selection);

/// The same without their launches, which read_launches() adds: a store of several years has millions.
std::vector<Chain> outlines_of(Store& store, const std::vector<Series>& series, const Selection& selection);
void read_launches(Store& store, std::span<Chain> chains, const Selection& selection);

/// The time that all chains together cover. Needs at least one chain.
TimeSpan span_of(const std::vector<Chain>& chains);

/// For each chain, the settings that not all of them share: "NCCL_ALGO=Ring transport=nccl".
std::vector<std::string> distinctions(const std::vector<Chain>& chains);

/// Each chain's case, with the settings that not all chains share.
std::vector<std::string> names_of(const std::vector<Chain>& chains);

/// All values of a series by column, option and variable, without empty ones.
std::map<std::string, std::string> values_of(const Series& series);
/// Those of them that are choices.
std::map<std::string, std::string> choices_of(const Series& series);

/// The bus bandwidth of a collective or link that took this time; empty for latencies and steps.
std::optional<double> bus_bandwidth_GBps(const Series& series, double time_us);

}  // namespace ringmark::history

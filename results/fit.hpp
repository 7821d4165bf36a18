// The measured cost of collectives on a fabric, as schema fit/1, for predictions and plans.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/schema/caveat.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark {

/// time_us = steps * alpha_us + bytes * beta_us_per_byte, with the steps and bytes of the algorithm's schedule, for
/// messages (bytes / steps) of this segment.
struct FitSegment {
  double from_message_bytes = 0, to_message_bytes = 0;  ///< the measured range, inclusive
  double alpha_us = 0, beta_us_per_byte = 0;
  std::optional<Interval> alpha_us_ci, beta_us_per_byte_ci;  ///< 95 %
  double residual_percent = 0;                               ///< root mean square of relative residuals
  int points = 0;

  bool operator==(const FitSegment&) const = default;
};

/// Errors of predictions for rows held out of the fit, in percent of the measured time.
struct HeldOut {
  double median_percent = 0, worst_percent = 0;
  int predictions = 0;

  bool operator==(const HeldOut&) const = default;
};

struct FitModel {
  std::string transport, network, memory, collective, datatype, op, timing, settings;
  int in_place = 0;
  std::string algorithm;    ///< its schedule determines steps and bytes
  bool is_assumed = false;  ///< the library did not report its algorithm; this one fits best
  int ranks_per_node = 1;
  std::vector<FitSegment> segments;  ///< by message size
  std::uint64_t from_bytes = 0, to_bytes = 0;
  std::vector<int> ranks;  ///< the measured numbers of ranks; empty if unknown
  int launches = 0;
  std::optional<HeldOut> by_size, by_ranks;
  std::vector<std::string> run_ids;
  std::vector<std::string> hosts;  ///< of those runs, if a sweep's manifest lists them
  std::string first_utc, last_utc;
  std::vector<Caveat> caveats;  ///< of the rows

  bool operator==(const FitModel&) const = default;
};

/// How long ringmark-link keeps a link idle before it measures a burst: long enough to fill a bucket of 256 KiB at 50
/// Mbit/s, and shorter than the idle time after which TCP returns to slow start.
constexpr double burst_rest_us = 50'000;

/// The bytes that an idle link accepts faster than its sustained rate, because a shaper's token bucket or a switch's
/// buffer absorbs them.
struct FitBurst {
  std::string transport, network;
  double bytes = 0;
  double GBps = 0;  ///< the rate at which it refills

  bool operator==(const FitBurst&) const = default;
};

/// A link's cost per step of NCCL's algorithms. alpha_us is empty if the measured sizes do not determine it.
struct FitLink {
  std::optional<double> alpha_us;
  double GBps = 0;  ///< each way, per node, or per rank within a node

  bool operator==(const FitLink&) const = default;
};

/// The links behind all of NCCL's rows on a network: the values of replay::Links with which its algorithms fit best.
struct FitLinks {
  std::string network, settings;
  std::optional<FitLink> between;  ///< empty if only single nodes were measured
  std::optional<FitLink> within;   ///< empty if no single node was measured
  int ranks_per_node = 1;
  std::vector<int> nodes;  ///< the measured numbers of nodes
  double launch_us = 0;    ///< cost of a collective in addition to its steps
  std::uint64_t from_bytes = 0, to_bytes = 0;
  double residual_percent = 0;  ///< median of the absolute errors
  int points = 0;
  std::vector<std::string> run_ids;
  std::vector<std::string> hosts;  ///< of those runs, if a sweep's manifest lists them
  std::vector<Caveat> caveats;     ///< of the rows

  bool operator==(const FitLinks&) const = default;
};

struct Fit {
  std::vector<FitModel> models;
  std::vector<FitBurst> bursts;  ///< only for paths whose links were tested for bursts
  std::vector<FitLinks> links;   ///< for NCCL, if rows list their nodes

  bool operator==(const Fit&) const = default;
};

/// The burst measured on `network`, or null if there is none: over `transport` if possible, otherwise over another one,
/// since a link is the same for all transports.
const FitBurst* burst_of(const Fit& fit, const std::string& transport, const std::string& network);

std::string to_json(const Fit& fit);
/// Throws std::invalid_argument with the reason.
Fit fit_from_json(const std::string& text);
/// Reads a fit from a file. Throws BadUsage, naming the flag --fit.
Fit read_fit(const std::string& file);

}  // namespace ringmark

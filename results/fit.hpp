// The measured cost of collectives on a fabric: schema fit/1, for predictions and plans.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/caveat.hpp"
#include "results/statistics.hpp"

namespace ringmark {

/// time_us = steps * alpha_us + bytes * beta_us_per_byte, where steps and bytes are those of the algorithm's schedule,
/// for messages (bytes / steps) of this segment.
struct FitSegment {
  double from_message_bytes = 0, to_message_bytes = 0;  ///< the measured range, both ends included
  double alpha_us = 0, beta_us_per_byte = 0;
  std::optional<Interval> alpha_us_ci, beta_us_per_byte_ci;  ///< 95 %
  double residual_percent = 0;                               ///< root of the mean square of relative residuals
  int points = 0;

  bool operator==(const FitSegment&) const = default;
};

/// Errors of predictions for rows that were left out of the fit, in percent of the measured time.
struct HeldOut {
  double median_percent = 0, worst_percent = 0;
  int predictions = 0;

  bool operator==(const HeldOut&) const = default;
};

struct FitModel {
  std::string transport, network, memory, collective, datatype, op, timing, settings;
  int in_place = 0;
  std::string algorithm;    ///< whose schedule gives steps and bytes
  bool is_assumed = false;  ///< the library did not tell its algorithm: this one fits best
  int ranks_per_node = 1;
  std::vector<FitSegment> segments;  ///< by message size
  std::uint64_t from_bytes = 0, to_bytes = 0;
  std::vector<int> ranks;  ///< that were measured; none: nobody tells
  int launches = 0;
  std::optional<HeldOut> by_size, by_ranks;
  std::vector<std::string> run_ids;
  std::vector<std::string> hosts;  ///< of those runs, where a sweep's manifest tells
  std::string first_utc, last_utc;
  std::vector<Caveat> caveats;  ///< of the rows

  bool operator==(const FitModel&) const = default;
};

/// How long ringmark-link lets a link rest before it measures a burst: it fills a bucket of 256 KiB at 50 Mbit/s, and
/// is shorter than the rest after which TCP starts slowly again.
constexpr double burst_rest_us = 50'000;

/// Bytes that a rested link of a path lets through at once, beyond its rate: the bucket of a shaper, the buffer of a
/// switch.
struct FitBurst {
  std::string transport, network;
  double bytes = 0;
  double GBps = 0;  ///< at which it fills again

  bool operator==(const FitBurst&) const = default;
};

/// A link as the library's steps have it. An alpha that the measured sizes do not show is absent.
struct FitLink {
  std::optional<double> alpha_us;
  double GBps = 0;  ///< each way, of a node, or of a rank within it

  bool operator==(const FitLink&) const = default;
};

/// The links behind all rows of NCCL on a network: those figures of replay::Links by which its algorithms come closest.
struct FitLinks {
  std::string network, settings;
  std::optional<FitLink> between;  ///< nothing: one node alone was measured
  std::optional<FitLink> within;   ///< nothing: no node was measured alone
  int ranks_per_node = 1;
  std::vector<int> nodes;  ///< that were measured
  double launch_us = 0;    ///< of a collective, beside its steps
  std::uint64_t from_bytes = 0, to_bytes = 0;
  double residual_percent = 0;  ///< median of the absolute errors
  int points = 0;
  std::vector<std::string> run_ids;
  std::vector<std::string> hosts;  ///< of those runs, where a sweep's manifest tells
  std::vector<Caveat> caveats;     ///< of the rows

  bool operator==(const FitLinks&) const = default;
};

struct Fit {
  std::vector<FitModel> models;
  std::vector<FitBurst> bursts;  ///< of paths whose links were measured for it
  std::vector<FitLinks> links;   ///< of NCCL, where rows tell their nodes

  bool operator==(const Fit&) const = default;
};

/// The burst of a path's links, or null if nobody measured it: over its transport, or else over another one, since a
/// link is the same for all transports.
const FitBurst* burst_of(const Fit& fit, const std::string& transport, const std::string& network);

std::string to_json(const Fit& fit);
/// Throws std::invalid_argument with the reason.
Fit fit_from_json(const std::string& text);
/// Reads a fit from a file. Throws BadUsage that names it as --fit.
Fit read_fit(const std::string& file);

}  // namespace ringmark

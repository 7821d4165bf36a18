// Fits the parameters of a link to times of NCCL's collectives.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "replay/predict/network.hpp"
#include "results/fit.hpp"

namespace ringmark::analysis {

/// A collective of all ranks on nodes of equal size.
struct MeasuredCollective {
  replay::Event event;
  int ranks, nodes;
  double time_us;

  int ranks_per_node() const { return ranks / nodes; }
};

/// The alpha and bandwidth of one kind of links, and the time of a launch unless it is known.
class LinkFit {
 public:
  /// All links, given the parameters of those being fitted.
  using LinksOf = std::function<replay::Links(const replay::Link&, double launch_us)>;

  /// `some` must outlive this object.
  LinkFit(const std::vector<MeasuredCollective>& some, LinksOf links_of, std::optional<double> launch_us);

  replay::Link link() const;
  /// The same, without alpha if a much smaller or larger one fits as well.
  FitLink fitted() const;
  double launch_us() const;
  /// Median of the absolute relative errors.
  double median_error() const;
  /// Median of predicted over measured time, minus one, for one collective; nothing if it was not measured.
  std::optional<double> median_miss(Collective collective) const;

 private:
  /// Indices of the fitted parameters, which are logarithms.
  enum Figure : std::size_t { alpha_at, GBps_at, launch_at, figures };
  using Figures = std::array<double, figures>;

  double time_us(const MeasuredCollective& each, const Figures& at) const;
  double badness(const Figures& at) const;
  Figures search(Figures from, double step) const;
  void take_larger_GBps(double least);

  const std::vector<MeasuredCollective>& some_;
  LinksOf links_of_;
  bool launch_is_known_;
  double most_GBps_;  ///< the largest that any measured time shows
  Figures figures_{};
};

}  // namespace ringmark::analysis

// The search for the figures of a link from times of NCCL's collectives.
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
  /// All links, if those that are searched for have these figures.
  using LinksOf = std::function<replay::Links(const replay::Link&, double launch_us)>;

  /// `some` outlives this.
  LinkFit(const std::vector<MeasuredCollective>& some, LinksOf links_of, std::optional<double> launch_us);

  replay::Link link() const;
  /// The same, without an alpha that could as well be much smaller or larger.
  FitLink fitted() const;
  double launch_us() const;
  /// Median of the absolute relative errors.
  double median_error() const;
  /// Median of predicted over measured time less one, of one collective's times; nothing if it has none.
  std::optional<double> median_miss(Collective collective) const;

 private:
  /// Logarithms.
  enum Figure : std::size_t { alpha_at, GBps_at, launch_at, figures };
  using Figures = std::array<double, figures>;

  double time_us(const MeasuredCollective& each, const Figures& at) const;
  double badness(const Figures& at) const;
  Figures search(Figures from, double step) const;
  void take_larger_GBps(double least);

  const std::vector<MeasuredCollective>& some_;
  LinksOf links_of_;
  bool launch_is_known_;
  double most_GBps_;  ///< that any measured time shows
  Figures figures_{};
};

}  // namespace ringmark::analysis

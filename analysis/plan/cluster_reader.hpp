// A scenario's clusters.
#pragma once

#include <optional>

#include "analysis/plan/fitted_path.hpp"
#include "analysis/plan/key_reader.hpp"
#include "analysis/plan/scenario.hpp"

namespace ringmark::analysis {

class ClusterReader {
 public:
  ClusterReader(KeyReader& keys, const std::optional<Fit>& fit) : keys_(keys), fit_(fit) {}

  /// `failures` applies to clusters that give none of their own.
  Cluster cluster(const YAML::Node& node, const Failures& failures);
  /// The keys of failures, for one cluster or for the whole scenario.
  std::vector<KeyReader::Key> failure_keys(Failures& failures);

 private:
  std::optional<replay::Device> device(const YAML::Node& map);
  Purchase purchase(const YAML::Node& node);
  Reservation reservation(const YAML::Node& node);
  NextDevice next(const YAML::Node& node, const Cluster& cluster);
  Transport transport_in(const YAML::Node& node);
  PathCost path(const YAML::Node& node, PathKind kind);

  KeyReader& keys_;
  const std::optional<Fit>& fit_;
};

/// Sets the cluster's peak, efficiency, memory and reserve to those of the device, as in `ringmark-replay`.
void take_figures(const replay::Device& device, Cluster& cluster);

}  // namespace ringmark::analysis

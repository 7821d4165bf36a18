// The common part of transports that run our schedules over one of our fabrics.
#pragma once

#include "base/system/affinity.hpp"
#include "bench/backends/backend.hpp"
#include "transports/schedules/chosen_algorithms.hpp"

namespace ringmark {

class ScheduleBackend : public Backend {
 public:
  std::optional<LinkCost> given_link(const RunOptions& options) const final;
  /// Measures the link unless the options set its cost.
  std::unique_ptr<Communicator> make_communicator(const RunOptions& options, const RankResources& resources,
                                                  const std::string& algorithm, bool is_preference) final;
  std::unique_ptr<Fabric> make_fabric(const RunOptions& options, const RankResources& resources) const override = 0;
  std::optional<LinkCost> link() const final { return link_; }
  void keep_choices(const RunOptions& options) final;
  void describe(std::map<std::string, std::string>& facts, const RankResources& resources) const override;
  using Backend::describe;

 protected:
  /// The transport's options `crossover` (0: to be measured) and `slice`.
  virtual std::size_t crossover_bytes(const RunOptions& options) const = 0;
  virtual std::size_t slice_bytes(const RunOptions& options) const = 0;

  std::shared_ptr<StickyCore> sticky_core_;  ///< for short vectors; may be null

 private:
  std::optional<LinkCost> link_;
  ChosenAlgorithms new_choices_;       ///< not yet in the file of --algorithm auto:FILE; on rank 0
  bool link_is_measured_ = false;      ///< false if the options set it
  std::size_t least_slice_bytes_ = 0;  ///< smallest slice into which our schedules split chunks
};

}  // namespace ringmark

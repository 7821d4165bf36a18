// Our schedules over queue pairs of libibverbs.
#pragma once

#include <string>
#include <vector>

#include "bench/backends/schedule_backend.hpp"
#include "transports/fabric/verbs/device.hpp"

namespace ringmark {

class VerbsBackend final : public ScheduleBackend {
 public:
  void check(const RunOptions& options, std::string_view mpi) const override;
  std::string listing(const RunOptions& options) const override;
  void open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) override;
  std::unique_ptr<Fabric> make_fabric(const RunOptions& options, const RankResources& resources) const override;
  Memory& memory() const override { return *memory_; }
  void describe(std::map<std::string, std::string>& facts, const RankResources& resources) const override;
  using ScheduleBackend::describe;
  std::map<std::string, std::string> library_versions(const RankResources& resources) const override;
  std::string place_of(int rank, const RankResources& resources) const override;

 private:
  std::size_t crossover_bytes(const RunOptions& options) const override {
    return options.of<VerbsOptions>().crossover_bytes;
  }
  std::size_t slice_bytes(const RunOptions& options) const override { return options.of<VerbsOptions>().slice_bytes; }

  std::shared_ptr<Memory> memory_{std::shared_ptr<void>{}, &host_memory()};
  std::shared_ptr<VerbsDevice> device_;
  std::vector<std::string> ports_;  ///< each rank's
  int path_mtu_bytes_ = 0;          ///< the smallest among all ranks
};

}  // namespace ringmark

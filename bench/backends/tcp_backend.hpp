// Our schedules over TCP sockets.
#pragma once

#include "bench/backends/schedule_backend.hpp"

namespace ringmark {

class TcpBackend final : public ScheduleBackend {
 public:
  void check(const RunOptions& /*options*/, std::string_view /*mpi*/) const override {}
  void open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) override;
  std::unique_ptr<Fabric> make_fabric(const RunOptions& options, const RankResources& resources) const override;
  void describe(std::map<std::string, std::string>& facts, const RankResources& resources) const override;
  using ScheduleBackend::describe;

 private:
  std::size_t crossover_bytes(const RunOptions& options) const override {
    return options.of<TcpOptions>().crossover_bytes;
  }
  std::size_t slice_bytes(const RunOptions& options) const override { return options.of<TcpOptions>().slice_bytes; }

  int sticky_ranks_ = 0;  ///< that are pinned to a core for short vectors
};

}  // namespace ringmark

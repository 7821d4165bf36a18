// MPI's own collectives.
#pragma once

#include "bench/backends/backend.hpp"

namespace ringmark {

class MpiBackend final : public Backend {
 public:
  void check(const RunOptions& options, std::string_view mpi) const override;
  void open(Bootstrap& bootstrap, const RunOptions& options, const RankResources& resources) override;
  std::unique_ptr<Communicator> make_communicator(const RunOptions& options, const RankResources& resources,
                                                  const std::string& algorithm, bool is_preference) override;
  std::map<std::string, std::string> library_versions(const RankResources& resources) const override;
  void judge(Record& record, const RankResources& resources) override;
};

}  // namespace ringmark

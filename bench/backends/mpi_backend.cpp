#include "bench/backends/mpi_backend.hpp"

#include "base/errors.hpp"
#include "bench/harness/rank_resources.hpp"
#include "transports/mpi/mpi_communicator.hpp"

namespace ringmark {

void MpiBackend::check(const RunOptions& /*options*/, std::string_view mpi) const {
  if (mpi.empty()) throw Unusable("needs ranks that were started by mpirun (MPICH or Open MPI)");
}

void MpiBackend::open(Bootstrap& /*bootstrap*/, const RunOptions& /*options*/, const RankResources& resources) {
  way_out_ = way_out_over_sockets(resources, ignored_);
  way_out_.is_certain = false;  // MPI may take shared memory or an adapter
}

std::unique_ptr<Communicator> MpiBackend::make_communicator(const RunOptions& /*options*/,
                                                            const RankResources& resources,
                                                            const std::string& /*algorithm*/, bool /*is_preference*/) {
  return std::make_unique<MpiCommunicator>(resources.mpi);
}

std::map<std::string, std::string> MpiBackend::library_versions(const RankResources& resources) const {
  return {{"mpi_version", mpi_version_text(resources.mpi->api().library())}};
}

void MpiBackend::judge(Record& record, const RankResources& resources) {
  Backend::judge(record, resources);
  const auto& share = resources.core_share;
  if (share.is_tight()) record.caveats.emplace_back(PollingOnSharedCores{.ranks = share.ranks, .cores = share.cores});
}

}  // namespace ringmark

// Bootstrap over MPI, under mpirun or srun.
#pragma once

#include <chrono>
#include <memory>

#include "base/system/watchdog.hpp"
#include "transports/bootstrap.hpp"
#include "transports/mpi/mpi_library.hpp"

namespace ringmark {

class MpiBootstrap final : public Bootstrap {
 public:
  MpiBootstrap(std::shared_ptr<MpiLibrary> library, std::chrono::milliseconds timeout);

  std::string_view launcher() const override { return library_->name(); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> all_gather(std::string_view mine) override;
  void barrier() override;
  /// After a failure, only gives the other ranks time to print their reasons, since the launcher ends them as soon as
  /// this process exits. Otherwise finalizes Open MPI, and exits with `status` if that does not return; does not
  /// finalize MPICH.
  void finish(int status) override;

 private:
  std::shared_ptr<MpiLibrary> library_;
  std::chrono::milliseconds timeout_;
  int rank_, size_;
  Watchdog watchdog_;
};

}  // namespace ringmark

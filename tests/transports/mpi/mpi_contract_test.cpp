// Started by mpirun: MPI's communicator and bootstrap in every rank. Each rank is a process, so each runs the bodies.
#include <gtest/gtest.h>

#include "tests/contract/communicator_contract.hpp"
#include "transports/mpi/mpi_bootstrap.hpp"
#include "transports/mpi/mpi_communicator.hpp"

namespace ringmark {
namespace {

std::shared_ptr<MpiLibrary> library;
std::unique_ptr<MpiBootstrap> bootstrap;

using namespace testing_support;

const Backend over_mpi{"mpi", [](int ranks, const RankBody& body) {
                         if (ranks != bootstrap->size()) return false;
                         MpiCommunicator self(library);
                         body(self);
                         bootstrap->barrier();
                         return true;
                       }};
INSTANTIATE_TEST_SUITE_P(Mpi, CommunicatorContract, testing::Values(over_mpi), backend_name);

TEST(MpiBootstrap, gathers_texts_of_any_length_in_order) {
  const auto mine = std::string(static_cast<std::size_t>(bootstrap->rank()) * 1000, 'x') + "end";
  const auto all = bootstrap->all_gather(mine);
  ASSERT_EQ(static_cast<int>(all.size()), bootstrap->size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank], std::string(rank * 1000, 'x') + "end");
}

}  // namespace
}  // namespace ringmark

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto mpi = ringmark::detect_mpi();
  if (mpi.empty()) {
    std::puts("start it with mpirun");
    return 2;
  }
  ringmark::library = ringmark::MpiLibrary::open(mpi, std::chrono::seconds(60));
  ringmark::bootstrap = std::make_unique<ringmark::MpiBootstrap>(ringmark::library, std::chrono::seconds(60));
  const int status = RUN_ALL_TESTS();
  ringmark::bootstrap->finish(status);
  return status;
}

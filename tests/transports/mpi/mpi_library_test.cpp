#include "transports/mpi/mpi_library.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

TEST(MpiVersion, is_the_name_and_the_number) {
  EXPECT_EQ(mpi_version_text("MPICH Version: 4.0.2"), "MPICH 4.0.2");
  EXPECT_EQ(mpi_version_text("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, May 26, 2022"),
            "Open MPI v4.1.4");
  EXPECT_EQ(mpi_version_text("MVAPICH2 Version      : 2.3.7"), "MVAPICH2 2.3.7");
  EXPECT_EQ(mpi_version_text("Intel(R) MPI Library 2021.11 for Linux* OS\n"),
            "Intel(R) MPI Library 2021.11 for Linux* OS");
  EXPECT_EQ(mpi_version_text(""), "");
}

}  // namespace
}  // namespace ringmark

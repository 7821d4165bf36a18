#include "results/files/recorded_variables.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "results/files/provenance.hpp"
#include "transports/nccl/parameters.hpp"

namespace ringmark {
namespace {

TEST(RecordedVariables, are_those_on_the_list_and_no_others_of_their_families) {
  for (const auto* name : {"NCCL_ALGO", "UCX_TLS", "OMP_NUM_THREADS", "OMPI_MCA_btl", "RINGMARK_MPI"})
    EXPECT_TRUE(is_recorded_variable(name)) << name;
  for (const auto* name : {"HOME", "OMP_PW", "FI_PW", "NCCL_SECRET_TOKEN", "AWS_ACCESS_KEY_ID", "RINGMARK_TOKEN",
                           "RINGMARK_TOKEN_FILE", "UCX_TLS_", "NCCL_", ""})
    EXPECT_FALSE(is_recorded_variable(name)) << name;
}

TEST(RecordedVariables, hold_each_variable_of_nccl_that_is_worth_a_sweep) {
  for (const auto& parameter : nccl_parameters()) EXPECT_TRUE(is_recorded_variable(parameter.name)) << parameter.name;
}

TEST(RecordedVariables, alone_are_in_the_description_of_a_run) {
  ::setenv("OMP_PW", "hidden", 1);
  ::setenv("OMP_PLACES", "cores", 1);
  const auto run = describe_run("a program", 0, nullptr, "id");
  EXPECT_FALSE(run.environment.contains("OMP_PW"));
  EXPECT_EQ(run.environment.at("OMP_PLACES"), "cores");
}

}  // namespace
}  // namespace ringmark

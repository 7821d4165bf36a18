#include "sweeps/launch/slurm_pmi.hpp"

#include <gtest/gtest.h>

namespace ringmark::sweep {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmPmi, candidates_are_those_of_srun_in_their_order) {
  EXPECT_EQ(pmi_candidates("MPI plugin types are...\n\tpmix\n\tnone\n\tcray_shasta\n\tpmi2\n"
                           "specific pmix plugin versions available: pmix_v4\n"),
            (Names{"pmix", "pmi2"}));
  EXPECT_EQ(pmi_candidates("srun: MPI types are...\nsrun: cray_shasta\nsrun: none\nsrun: pmi2\n"), Names{"pmi2"});
  EXPECT_EQ(pmi_candidates("srun: error: no plugins"), Names{});
}

}  // namespace
}  // namespace ringmark::sweep

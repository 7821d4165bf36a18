// Programs that are run by a shell, with a folder for their results.
#pragma once

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

class Programs : public testing::Test {
 protected:
  ResultFolder results_;
};

}  // namespace ringmark::testing_support

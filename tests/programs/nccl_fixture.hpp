// The programs on NCCL, as a user runs them, with fake libraries of NVIDIA's (tests/nvidia): all paths but NVIDIA's
// own. Numbers mean nothing here; rows, refusals and failures do.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

class NcclPrograms : public testing::Test {
 protected:
  /// `before`: variables and the like; rows go to r.csv.
  ShellResult measure(const std::string& before, const std::string& program, const std::string& flags) {
    return run("export LD_LIBRARY_PATH=" RINGMARK_FAKES "; " + before + " " + bin + "/ringmark-" + program +
               " --transport nccl --csv " + results_.file("r.csv") + " " + flags);
  }
  std::vector<Record> rows() const { return results_.records("r.csv"); }

  ResultFolder results_;
};

}  // namespace ringmark::testing_support

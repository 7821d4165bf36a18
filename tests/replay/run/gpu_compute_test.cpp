#include "replay/run/gpu_compute.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

/// NVIDIA's assembler, which is a part of CUDA's toolkit; empty if there is none.
std::string assembler() {
  for (const std::string program : {"ptxas", "/usr/local/cuda/bin/ptxas"}) {
    if (std::system((program + " --version >/dev/null 2>&1").c_str()) == 0) return program;
  }
  return "";
}

/// The driver's compiler is the assembler's: what this takes, that takes.
TEST(GpuCompute, kernel_is_assembled_for_the_gpus_of_clusters) {
  const auto ptxas = assembler();
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas (of CUDA's toolkit) here";
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("spin.ptx")) << spin_ptx;
  for (const std::string architecture : {"sm_80", "sm_90", "sm_100"}) {
    const auto command = ptxas + " -arch " + architecture + " " + folder.file("spin.ptx") + " -o " +
                         folder.file(architecture) + " 2>" + folder.file("log");
    EXPECT_EQ(std::system(command.c_str()), 0) << architecture << ": " << std::ifstream(folder.file("log")).rdbuf();
    EXPECT_TRUE(std::filesystem::exists(folder.file(architecture))) << architecture;
  }
}

}  // namespace
}  // namespace ringmark::replay

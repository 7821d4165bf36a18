// Over a fake libcuda (fake_cuda.hpp).
#include "transports/memory/cuda/cuda_memory.hpp"

#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/transports/memory/fake_cuda.hpp"

namespace ringmark {
namespace {

using testing_support::FakeCuda;

std::string refusal(const CudaDriver& driver) {
  try {
    CudaMemory memory(driver, 0);
  } catch (const Unusable& error) {
    return error.what();
  }
  return "";
}

TEST(CudaMemory, says_what_is_missing) {
  EXPECT_EQ(refusal({.why_not = "there is no library"}), "there is no library");
  EXPECT_NE(refusal(FakeCuda({.failing_calls = {"cuInit"}}).driver()).find("no CUDA-capable device"),
            std::string::npos);
  EXPECT_NE(refusal(FakeCuda({.gpus = 0}).driver()).find("CUDA_VISIBLE_DEVICES"), std::string::npos);
  const FakeCuda broken({.failing_calls = {"cuCtxSetCurrent"}});
  EXPECT_NE(refusal(broken.driver()).find("GPU 0"), std::string::npos);
  EXPECT_EQ(broken.contexts(), 0);
}

TEST(CudaMemory, takes_gpus_in_turn_and_gives_back_what_it_took) {
  FakeCuda fake;
  {
    CudaMemory memory(fake.driver(), 3);
    EXPECT_EQ(memory.describe(), "cuda, GPU 1, Fake GPU");
    EXPECT_EQ(fake.contexts(), 1);
    const Block block(memory, 10);
    EXPECT_EQ(fake.allocations(), 1U);
  }
  EXPECT_EQ(fake.contexts(), 0);
  EXPECT_EQ(fake.allocations(), 0U);
}

TEST(CudaMemory, is_zeroed_and_copied_both_ways_and_exported_by_pages) {
  FakeCuda fake;
  CudaMemory memory(fake.driver(), 0);
  const Block block(memory, 10'000), other(memory, 10'000);
  std::vector<std::byte> in(10'000, std::byte{7}), out(10'000, std::byte{1});
  memory.copy(out.data(), block.data(), out.size());
  EXPECT_EQ(out, std::vector<std::byte>(10'000));
  memory.copy(block.data(), in.data(), in.size());
  memory.copy(other.data(), block.data(), in.size());
  memory.copy(out.data(), other.data(), out.size());
  EXPECT_EQ(out, in);
  const auto dma_buf = memory.export_dma_buf({block.data() + 4096, 8192});
  ASSERT_TRUE(dma_buf);
  EXPECT_TRUE(fake.is_dma_buf_of(dma_buf->get(), block.data()));
  EXPECT_FALSE(fake.is_dma_buf_of(dma_buf->get(), other.data()));
}

TEST(CudaMemory, names_the_gpu_that_has_too_little_and_the_copy_that_failed) {
  FakeCuda small({.failing_calls = {"cuMemcpy"}, .memory_bytes = 4 << 20});
  CudaMemory memory(small.driver(), 0);
  try {
    const Block block(memory, 8 << 20);
    FAIL() << "more than there is was allocated";
  } catch (const Unusable& error) {
    EXPECT_NE(std::string(error.what()).find("Fake GPU"), std::string::npos) << error.what();
  }
  EXPECT_EQ(small.allocations(), 0U);
  const Block block(memory, 100);
  std::byte byte{};
  EXPECT_THROW(memory.copy(&byte, block.data(), 1), TransportError);
}

TEST(CudaMemory, knows_the_numa_node_of_its_gpu) {
  const FakeCuda fake;
  CudaDriver driver = fake.driver();
  driver.sysfs = testing::TempDir() + "ringmark-cuda-sysfs";
  std::filesystem::create_directories(driver.sysfs / "bus/pci/devices/0000:ab:00.0");
  std::ofstream(driver.sysfs / "bus/pci/devices/0000:ab:00.0/numa_node") << "1\n";
  EXPECT_EQ(CudaMemory(driver, 1).numa_node(), 1);
  EXPECT_EQ(CudaMemory(driver, 0).numa_node(), std::nullopt);
  std::filesystem::remove_all(driver.sysfs);
}

}  // namespace
}  // namespace ringmark

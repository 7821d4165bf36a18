// Collectives whose buffers lie on a GPU, over fakes of libibverbs and libcuda: no processor's instruction touches the
// device's memory, which the fake makes sure of.
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "bench/harness/checked_buffers.hpp"
#include "bench/harness/run_buffers.hpp"
#include "tests/contract/rank_group.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "tests/transports/fabric/verbs/fake_verbs.hpp"
#include "tests/transports/memory/fake_cuda.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/verbs/verbs_fabric.hpp"
#include "transports/memory/cuda/cuda_memory.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

constexpr int ranks = 3;

FakeReach reach_into(FakeCuda& gpu) {
  return {.reach = [&gpu](const void* address) { return gpu.reach(address); },
          .is_dma_buf_of = [&gpu](int fd, const void* address) { return gpu.is_dma_buf_of(fd, address); }};
}

class Cluster {
 public:
  Cluster(FakeCuda& gpu, const FakeReach& reach, const VerbsOptions& options, const std::string& algorithm = "auto")
      : verbs_({{}}, {}, reach) {
    const auto ports = verbs_ports(verbs_.driver());
    for (const auto& endpoint : tcp_endpoints(ranks, {})) {
      memories_.push_back(std::make_unique<CudaMemory>(gpu.driver(), 0));
      const auto& port = choose_port(ports, options, 0);
      auto device = std::make_shared<VerbsDevice>(verbs_.driver(), port, choose_gid(port, options), *memories_.back());
      auto fabric = std::make_unique<VerbsFabric>(device, std::make_unique<TcpFabric>(endpoint, 1), options);
      group_.push_back(std::make_unique<ScheduleCommunicator>(
          "verbs", std::move(fabric), Topology::flat(ranks),
          ScheduleOptions{.algorithm = algorithm, .slice_bytes = options.slice_bytes}));
    }
  }

  Communicator& rank(int rank) { return *group_[static_cast<std::size_t>(rank)]; }
  const FakeVerbs& verbs() const { return verbs_; }

  /// Each rank runs it and looks at the result.
  void run(const Operation& operation, bool in_place) {
    in_threads(ranks, [&](int rank) {
      auto& self = this->rank(rank);
      const auto layout = layout_of(operation, ranks, rank);
      RunBuffers buffers(self.memory(), layout.send_bytes, layout.recv_bytes);
      CheckedBuffers checked(self.memory(), operation, buffers.get(operation, rank, in_place), rank, ranks);
      for (const auto span : buffers.spans()) self.keep(span);
      for (int i = 0; i < 2; ++i) {
        checked.poison();
        checked.fill();
        self.run(operation, checked.get(), std::chrono::seconds(20));
        EXPECT_EQ(checked.count_wrong(), 0U) << name(operation.collective) << " of " << operation.count;
      }
      for (const auto span : buffers.spans()) self.forget(span);
    });
  }

 private:
  FakeVerbs verbs_;
  std::vector<std::unique_ptr<CudaMemory>> memories_;
  Communicators group_;
};

void run_all(Cluster& cluster, Collective collective) {
  for (const std::size_t count : {1, 31, 1000, 100'000}) {
    for (const bool in_place : {false, true}) {
      const Operation operation{collective, DataType::float32, ReduceOp::sum, count};
      if (!cluster.rank(0).why_unsupported(operation, in_place)) cluster.run(operation, in_place);
    }
  }
}

TEST(GpuDirect, what_does_not_reduce_is_right_with_every_algorithm) {
  for (const auto collective : {Collective::all_gather, Collective::broadcast, Collective::all_to_all}) {
    for (const auto algorithm : algorithms_for(collective)) {
      FakeCuda gpu;
      Cluster cluster(gpu, reach_into(gpu), {}, std::string(algorithm));
      run_all(cluster, collective);
      EXPECT_GT(cluster.verbs().dma_bufs(), 0);
    }
  }
}

TEST(GpuDirect, no_message_travels_inline_from_where_only_the_adapter_reaches) {
  FakeCuda gpu;
  Cluster cluster(gpu, reach_into(gpu), {.eager_bytes = 64, .slot_bytes = 4096});
  run_all(cluster, Collective::all_gather);
}

TEST(GpuDirect, what_the_adapter_wrote_is_flushed_where_the_gpu_does_not_order_it) {
  for (const bool ordered : {false, true}) {
    FakeCuda gpu({.writes_ordering = ordered ? cuda::writes_ordered_for_owner : 0});
    Cluster cluster(gpu, reach_into(gpu), {});
    cluster.run({Collective::all_gather, DataType::float32, ReduceOp::sum, 100'000}, false);
    EXPECT_EQ(gpu.flushes() == 0, ordered);
  }
}

TEST(GpuDirect, goes_through_nvidia_peermem_where_there_is_no_dma_buf) {
  for (const bool driver_has_none : {false, true}) {
    FakeCuda gpu({.exports_dma_bufs = !driver_has_none});
    auto reach = reach_into(gpu);
    reach.takes_dma_bufs = driver_has_none;
    reach.peers = true;
    Cluster cluster(gpu, reach, {});
    run_all(cluster, Collective::all_gather);
    EXPECT_EQ(cluster.verbs().dma_bufs(), 0);
  }
}

TEST(GpuDirect, says_what_to_load_where_the_adapter_reaches_nothing) {
  FakeCuda gpu({.exports_dma_bufs = false});
  Cluster cluster(gpu, reach_into(gpu), {});
  const Block block(cluster.rank(0).memory(), 100);
  try {
    cluster.rank(0).keep(block.span());
    FAIL() << "registered what the adapter cannot reach";
  } catch (const Unusable& error) {
    for (const char* word : {"fake0:1", "Fake GPU", "dma-buf", "modprobe nvidia_peermem"}) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

TEST(GpuDirect, refuses_to_reduce) {
  FakeCuda gpu;
  Cluster cluster(gpu, reach_into(gpu), {});
  for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter, Collective::reduce}) {
    const auto reason = cluster.rank(0).why_unsupported({collective, DataType::float32, ReduceOp::sum, 100}, false);
    EXPECT_NE(reason.value_or("").find("cannot access cuda memory"), std::string::npos) << reason.value_or("");
  }
}

}  // namespace
}  // namespace ringmark

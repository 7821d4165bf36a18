// Gloo's collectives over TCP, timed as ours are, to hold ours against:
//   gloo-loop COLLECTIVE BYTES[,BYTES...] SECONDS INTERFACE FOLDER barrier|window
// COLLECTIVE: all_reduce, all_reduce_chunked, reduce_scatter, all_gather, all_to_all, broadcast, reduce, gather,
// scatter. Started by mpirun of MPICH, which sets PMI_RANK and PMI_SIZE; ranks meet through the folder. For each size
// of the whole vector rank 0 prints bytes and the median over iterations of the slowest rank's time, in µs: from its
// own entry after a barrier, or from a time that all agree on, whose clock is one machine's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/reduce_scatter.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>
#include <sched.h>

namespace {

using Clock = std::chrono::steady_clock;
void (*const sum)(void*, const void*, const void*, std::size_t) = &gloo::sum<float>;
void (*const greatest)(void*, const void*, const void*, std::size_t) = &gloo::max<double>;
/// From the arrival of the last rank to the agreed start: longer than all take to learn it.
constexpr double window_us = 1000;
constexpr int warmup = 5, least_iterations = 10, most_iterations = 5000;

class Loop {
 public:
  Loop(std::shared_ptr<gloo::Context> context, double seconds, bool agrees)
      : context_(std::move(context)), seconds_(seconds), agrees_(agrees) {}

  double median_us(const std::function<void()>& operation) {
    double typical_us = 0;
    for (int i = 0; i < warmup; ++i) typical_us = slowest(time_us(operation));
    const int iterations =
        std::clamp(static_cast<int>(seconds_ * 1e6 / std::max(typical_us, 1.0)), least_iterations, most_iterations);
    std::vector<double> times_us;
    for (int i = 0; i < iterations; ++i) times_us.push_back(time_us(operation));
    for (auto& time_us : times_us) time_us = slowest(time_us);
    std::sort(times_us.begin(), times_us.end());
    return times_us[times_us.size() / 2];
  }

 private:
  double time_us(const std::function<void()>& operation) {
    const double start_us = begin_us();
    operation();
    return now_us() - start_us;
  }
  double begin_us() {
    if (!agrees_) {
      gloo::BarrierOptions together(context_);
      gloo::barrier(together);
      return now_us();
    }
    const double start_us = slowest(now_us()) + window_us;
    while (now_us() < start_us) ::sched_yield();
    return start_us;
  }
  static double now_us() { return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count(); }
  double slowest(double mine) {
    gloo::AllreduceOptions options(context_);
    options.setOutput(&mine, 1);
    options.setReduceFunction(gloo::AllreduceOptions::Func(greatest));
    gloo::allreduce(options);
    return mine;
  }

  std::shared_ptr<gloo::Context> context_;
  double seconds_;
  bool agrees_;
};

/// A vector that all ranks share out, and what a rank does with it. Root is rank 0.
class Vectors {
 public:
  Vectors(std::shared_ptr<gloo::Context> context, std::size_t bytes)
      : context_(std::move(context)),
        ranks_(static_cast<std::size_t>(context_->size)),
        count_(bytes / sizeof(float)),
        block_(count_ / ranks_),
        send_(count_, 1),
        recv_(count_) {}

  /// Empty if Gloo has no such function.
  std::function<void()> operation(const std::string& collective) {
    if (collective == "all_reduce") return [this] { all_reduce(); };
    if (collective == "all_gather") return [this] { all_gather(); };
    if (collective == "all_to_all") return [this] { all_to_all(); };
    if (collective == "broadcast") return [this] { broadcast(); };
    if (collective == "reduce") return [this] { reduce(); };
    if (collective == "gather") return [this] { gather(); };
    if (collective == "scatter") return [this] { scatter(); };
    return {};
  }
  /// An operation of the older interface. It works in place: zeros stay zeros.
  std::unique_ptr<gloo::Algorithm> algorithm(const std::string& collective, const std::shared_ptr<gloo::Context>& own) {
    std::fill(send_.begin(), send_.end(), 0.0F);
    const std::vector<float*> data{send_.data()};
    if (collective == "reduce_scatter")
      return std::make_unique<gloo::ReduceScatterHalvingDoubling<float>>(
          own, data, static_cast<int>(count_), std::vector<int>(ranks_, static_cast<int>(block_)));
    if (collective == "all_reduce_chunked")
      return std::make_unique<gloo::AllreduceRingChunked<float>>(own, data, static_cast<int>(count_));
    return nullptr;
  }

 private:
  bool is_root() const { return context_->rank == 0; }

  void all_reduce() {
    gloo::AllreduceOptions options(context_);
    options.setInput(send_.data(), count_);
    options.setOutput(recv_.data(), count_);
    options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
    options.setReduceFunction(gloo::AllreduceOptions::Func(sum));
    gloo::allreduce(options);
  }
  void all_gather() {
    gloo::AllgatherOptions options(context_);
    options.setInput(send_.data(), block_);
    options.setOutput(recv_.data(), block_ * ranks_);
    gloo::allgather(options);
  }
  void all_to_all() {
    gloo::AlltoallOptions options(context_);
    options.setInput(send_.data(), block_ * ranks_);
    options.setOutput(recv_.data(), block_ * ranks_);
    gloo::alltoall(options);
  }
  void broadcast() {
    gloo::BroadcastOptions options(context_);
    if (is_root()) options.setInput(send_.data(), count_);
    options.setOutput(recv_.data(), count_);
    options.setRoot(0);
    gloo::broadcast(options);
  }
  void reduce() {
    gloo::ReduceOptions options(context_);
    options.setInput(send_.data(), count_);
    options.setOutput(recv_.data(), count_);
    options.setRoot(0);
    options.setReduceFunction(gloo::ReduceOptions::Func(sum));
    gloo::reduce(options);
  }
  void gather() {
    gloo::GatherOptions options(context_);
    options.setInput(send_.data(), block_);
    if (is_root()) options.setOutput(recv_.data(), block_ * ranks_);
    options.setRoot(0);
    gloo::gather(options);
  }
  void scatter() {
    gloo::ScatterOptions options(context_);
    std::vector<float*> blocks;
    for (std::size_t rank = 0; rank < ranks_; ++rank) blocks.push_back(send_.data() + rank * block_);
    if (is_root()) options.setInputs(blocks, block_);
    options.setOutput(recv_.data(), block_);
    options.setRoot(0);
    gloo::scatter(options);
  }

  std::shared_ptr<gloo::Context> context_;
  std::size_t ranks_, count_, block_;
  std::vector<float> send_, recv_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* rank_text = std::getenv("PMI_RANK");
  const char* size_text = std::getenv("PMI_SIZE");
  if (argc != 7 || rank_text == nullptr || size_text == nullptr) {
    std::fputs("mpirun gloo-loop COLLECTIVE BYTES[,BYTES...] SECONDS INTERFACE FOLDER barrier|window\n", stderr);
    return 2;
  }
  const std::string collective = argv[1];
  const int rank = std::atoi(rank_text), ranks = std::atoi(size_text);
  gloo::transport::tcp::attr where;
  where.iface = argv[4];
  where.ai_family = AF_INET;
  std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(where);
  gloo::rendezvous::FileStore store(argv[5]);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
  context->connectFullMesh(store, device);
  gloo::rendezvous::ContextFactory contexts(context);
  Loop loop(context, std::atof(argv[3]), std::string(argv[6]) == "window");

  std::istringstream sizes(argv[2]);
  for (std::string size; std::getline(sizes, size, ',');) {
    const std::size_t bytes = std::stoull(size);
    Vectors vectors(context, bytes);
    double time_us = 0;
    if (const auto operation = vectors.operation(collective)) {
      time_us = loop.median_us(operation);
    } else {
      const auto algorithm = vectors.algorithm(collective, contexts.makeContext(device));
      if (algorithm == nullptr) {
        std::fprintf(stderr, "gloo-loop: Gloo has no %s\n", argv[1]);
        std::_Exit(2);
      }
      time_us = loop.median_us([&] { algorithm->run(); });
      gloo::BarrierOptions together(context);
      gloo::barrier(together);
    }
    if (rank == 0) std::printf("%zu %.2f\n", bytes, time_us);
  }
  std::fflush(stdout);
  gloo::BarrierOptions together(context);
  gloo::barrier(together);
  std::_Exit(0);  // destructors would tell of connections that others have closed by then
}

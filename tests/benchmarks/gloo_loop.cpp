// Gloo's collectives over TCP, timed as ours are, to hold ours against:
//   gloo-loop all_reduce|all_reduce_chunked|reduce_scatter|all_gather BYTES[,BYTES...] SECONDS INTERFACE FOLDER
// Started by mpirun of MPICH, which sets PMI_RANK and PMI_SIZE; ranks meet through the folder. For each size of the
// whole vector rank 0 prints bytes and the median over iterations of the slowest rank's time, in µs.
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
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/reduce_scatter.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

namespace {

using Clock = std::chrono::steady_clock;
void (*const sum)(void*, const void*, const void*, std::size_t) = &gloo::sum<float>;
void (*const greatest)(void*, const void*, const void*, std::size_t) = &gloo::max<double>;
constexpr int warmup = 5, least_iterations = 10, most_iterations = 5000;

class Loop {
 public:
  Loop(std::shared_ptr<gloo::Context> context, double seconds) : context_(std::move(context)), seconds_(seconds) {}

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
    gloo::BarrierOptions together(context_);
    gloo::barrier(together);
    const auto start = Clock::now();
    operation();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }
  double slowest(double mine) {
    gloo::AllreduceOptions options(context_);
    options.setOutput(&mine, 1);
    options.setReduceFunction(gloo::AllreduceOptions::Func(greatest));
    gloo::allreduce(options);
    return mine;
  }

  std::shared_ptr<gloo::Context> context_;
  double seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* rank_text = std::getenv("PMI_RANK");
  const char* size_text = std::getenv("PMI_SIZE");
  if (argc != 6 || rank_text == nullptr || size_text == nullptr) {
    std::fputs("mpirun gloo-loop COLLECTIVE BYTES[,BYTES...] SECONDS INTERFACE FOLDER\n", stderr);
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
  Loop loop(context, std::atof(argv[3]));

  std::istringstream sizes(argv[2]);
  for (std::string size; std::getline(sizes, size, ',');) {
    const std::size_t bytes = std::stoull(size), count = bytes / sizeof(float);
    const std::size_t block = count / static_cast<std::size_t>(ranks);
    std::vector<float> send(count, 1), recv(count);
    double time_us = 0;
    if (collective == "all_gather") {
      gloo::AllgatherOptions options(context);
      options.setInput(send.data(), block);
      options.setOutput(recv.data(), block * static_cast<std::size_t>(ranks));
      time_us = loop.median_us([&] { gloo::allgather(options); });
    } else if (collective == "all_reduce") {
      gloo::AllreduceOptions options(context);
      options.setInput(send.data(), count);
      options.setOutput(recv.data(), count);
      options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
      options.setReduceFunction(gloo::AllreduceOptions::Func(sum));
      time_us = loop.median_us([&] { gloo::allreduce(options); });
    } else {
      // The older interface works in place: zeros stay zeros.
      std::fill(send.begin(), send.end(), 0.0F);
      const std::vector<float*> data{send.data()};
      std::unique_ptr<gloo::Algorithm> algorithm;
      const auto own = contexts.makeContext(device);
      if (collective == "reduce_scatter")
        algorithm = std::make_unique<gloo::ReduceScatterHalvingDoubling<float>>(
            own, data, static_cast<int>(count),
            std::vector<int>(static_cast<std::size_t>(ranks), static_cast<int>(block)));
      else
        algorithm = std::make_unique<gloo::AllreduceRingChunked<float>>(own, data, static_cast<int>(count));
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

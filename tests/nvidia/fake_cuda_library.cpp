// A libcuda.so.1 whose GPUs are this machine's memory, for tests of whole programs. FAKE_GPUS says how many there are
// (8). Kernels are known by name: "spin" takes as many nanoseconds as its first argument says.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/nvidia/fake_cuda_stream.hpp"

namespace {

using ringmark::fake::Step;
using ringmark::fake::Work;
using Clock = std::chrono::steady_clock;
constexpr int ok = 0, invalid = 1, no_device = 100, not_ready = 600;
std::atomic<int> marks{0};

struct Stream {
  std::deque<Work> waiting;
  Step running;
  std::vector<Work>* captured = nullptr;

  void add(Work work) {
    if (captured != nullptr) {
      captured->push_back(std::move(work));
    } else {
      waiting.push_back(std::move(work));
    }
  }
  bool advance() {
    for (;;) {
      if (!running) {
        if (waiting.empty()) return true;
        running = waiting.front()();
        waiting.pop_front();
      }
      if (!running()) return false;
      running = nullptr;
    }
  }
};

struct Event {
  Stream* stream = nullptr;
  bool is_over = true;
  Clock::time_point when;
};

using Graph = std::vector<Work>;
Stream null_stream;

Stream& to_stream(void* stream) { return stream == nullptr ? null_stream : *static_cast<Stream*>(stream); }

int gpus() {
  const char* count = std::getenv("FAKE_GPUS");
  return count == nullptr ? 8 : std::atoi(count);
}

}  // namespace

extern "C" {

void fake_cuda_enqueue(void* stream, Work work) { to_stream(stream).add(std::move(work)); }

int cuInit(unsigned) { return gpus() > 0 ? ok : no_device; }
int cuDeviceGetCount(int* count) { return *count = gpus(), ok; }
int cuDeviceGet(int* device, int number) { return *device = number, ok; }
int cuDeviceGetName(char* name, int bytes, int) {
  return std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU"), ok;
}
int cuDeviceGetPCIBusId(char* id, int bytes, int device) {
  return std::snprintf(id, static_cast<std::size_t>(bytes), "0000:%02X:00.0", device + 1), ok;
}
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &null_stream, ok; }
int cuDevicePrimaryCtxRelease_v2(int) { return ok; }
int cuCtxSetCurrent(void*) { return ok; }
int cuCtxSynchronize() { return ok; }
int cuMemAlloc_v2(std::uint64_t* begin, std::size_t bytes) {
  void* memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  *begin = reinterpret_cast<std::uint64_t>(memory);
  return memory == nullptr ? 2 : ok;
}
int cuMemFree_v2(std::uint64_t begin) { return std::free(reinterpret_cast<void*>(begin)), ok; }
int cuMemcpy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes), ok;
}
int cuMemsetD8_v2(std::uint64_t begin, unsigned char value, std::size_t bytes) {
  return std::memset(reinterpret_cast<void*>(begin), value, bytes), ok;
}
int cuPointerSetAttribute(const void*, int, std::uint64_t) { return ok; }
int cuGetErrorString(int error, const char** text) {
  return *text = error == no_device ? "no CUDA-capable device is detected" : "some other error", ok;
}
int cuDeviceGetAttribute(int* value, int attribute, int) { return *value = attribute == 16 ? 4 : 0, ok; }

int cuStreamCreate(void** stream, unsigned) { return *stream = new Stream, ok; }
int cuStreamDestroy_v2(void* stream) { return delete static_cast<Stream*>(stream), ok; }
int cuDriverGetVersion(int* version) { return *version = 13000, ok; }
int cuStreamQuery(void* stream) { return to_stream(stream).advance() ? ok : not_ready; }
int cuEventCreate(void** event, unsigned) { return *event = new Event, ok; }
int cuEventDestroy_v2(void* event) { return delete static_cast<Event*>(event), ok; }
/// For tests: marks that were ever set.
int fake_cuda_marks() { return marks; }
int cuEventRecord(void* event, void* stream) {
  ++marks;
  auto* e = static_cast<Event*>(event);
  e->stream = &to_stream(stream);
  e->is_over = false;
  e->stream->add([e] {
    return [e] {
      e->when = Clock::now();
      return e->is_over = true;
    };
  });
  return ok;
}
int cuEventQuery(void* event) {
  auto* e = static_cast<Event*>(event);
  if (!e->is_over) e->stream->advance();
  return e->is_over ? ok : not_ready;
}
int cuEventElapsedTime(float* ms, void* begin, void* end) {
  const auto* a = static_cast<Event*>(begin);
  const auto* b = static_cast<Event*>(end);
  if (!a->is_over || !b->is_over) return not_ready;
  *ms = std::chrono::duration<float, std::milli>(b->when - a->when).count();
  return ok;
}
int cuStreamBeginCapture_v2(void* stream, int) { return to_stream(stream).captured = new Graph, ok; }
int cuStreamEndCapture(void* stream, void** graph) {
  *graph = std::exchange(to_stream(stream).captured, nullptr);
  return *graph == nullptr ? invalid : ok;
}
int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  return *exec = new Graph(*static_cast<Graph*>(graph)), ok;
}
int cuGraphLaunch(void* exec, void* stream) {
  for (const auto& work : *static_cast<Graph*>(exec)) to_stream(stream).add(work);
  return ok;
}
int cuGraphExecDestroy(void* exec) { return delete static_cast<Graph*>(exec), ok; }
int cuGraphDestroy(void* graph) { return delete static_cast<Graph*>(graph), ok; }

int cuModuleLoadData(void** module, const void* image) {
  *module = const_cast<void*>(image);
  return std::strstr(static_cast<const char*>(image), ".entry") != nullptr ? ok : invalid;
}
int cuModuleUnload(void*) { return ok; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return *function = module, std::strstr(static_cast<const char*>(module), name) != nullptr ? ok : invalid;
}
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void* stream,
                   void** parameters, void**) {
  const auto length = std::chrono::nanoseconds(*static_cast<unsigned long long*>(parameters[0]));
  to_stream(stream).add([length] {
    const auto end = Clock::now() + length;
    return [end] { return Clock::now() >= end; };
  });
  return ok;
}
}

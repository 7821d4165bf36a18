// Work on a stream, which the fake libcuda and the fake libnccl share. A fake: nothing runs on a device, and streams
// advance when they are asked about.
#pragma once

#include <functional>

namespace ringmark::fake {

/// True once it is done; asked again until then.
using Step = std::function<bool()>;
/// Begins when what was enqueued before has ended. Graphs begin it anew with every launch.
using Work = std::function<Step()>;

}  // namespace ringmark::fake

/// Exported by the fake libcuda under the name fake_cuda_enqueue.
using FakeCudaEnqueue = void(void* stream, ringmark::fake::Work work);

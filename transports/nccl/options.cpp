#include "transports/nccl/options.hpp"

namespace ringmark {

const OptionTable<NcclOptions>& NcclOptions::table() {
  using Options = NcclOptions;
  static const OptionTable<Options> table({
      text_option("nccl.library", "a file", &Options::library,
                  "libnccl to open; by default the loader's, or a copy in a Python environment"),
      number_option("nccl.device", "", &Options::device, 0, 1023,
                    "GPU number for every rank; by default the rank's index on its host"),
      choice_option<Options, NcclBuffer>(
          "nccl.buffer", &Options::buffer,
          {{"cuda", NcclBuffer::plain},
           {"nccl", NcclBuffer::nccl},
           {"registered", NcclBuffer::registered},
           {"window", NcclBuffer::window}},
          "memory of buffers: plain: cuMemAlloc; nccl: ncclMemAlloc; registered: ncclMemAlloc and ncclCommRegister; "
          "window: ncclMemAlloc and ncclCommWindowRegister"),
      switch_option("nccl.graph", &Options::graph, "capture each operation in a CUDA graph once, and launch the graph"),
      switch_option("nccl.share_gpu", &Options::share_gpu,
                    "let several ranks share a GPU by taking turns: for testing results and settings, not for times"),
  });
  return table;
}

}  // namespace ringmark

#include "transports/nccl/options.hpp"

#include <array>
#include <utility>

namespace ringmark {
namespace {

bool read_flag(std::string_view text, bool& to) {
  to = text == "1";
  return text == "0" || text == "1";
}

}  // namespace

const OptionTable<NcclOptions>& nccl_option_table() {
  static const OptionTable<NcclOptions> table({
      {"nccl.library", "", "a file", "", "libnccl to open; by default the loader's, or a copy in a Python environment",
       [](NcclOptions& o, std::string_view v) { return !(o.library = v).empty(); }},
      {"nccl.device", "", "0 to 1023", "", "GPU of every rank; by default the rank's number on its host",
       [](NcclOptions& o, std::string_view v) { return read_number(v, 0, 1023, o.device.emplace()); }},
      {"nccl.buffer", "", "cuda, nccl, registered or window", "nccl",
       "memory of buffers: cuMemAlloc; ncclMemAlloc; that and ncclCommRegister; that and ncclCommWindowRegister",
       [](NcclOptions& o, std::string_view v) {
         constexpr std::array words{std::pair{"cuda", NcclBuffer::plain}, std::pair{"nccl", NcclBuffer::nccl},
                                    std::pair{"registered", NcclBuffer::registered},
                                    std::pair{"window", NcclBuffer::window}};
         for (const auto& [word, buffer] : words) {
           if (v == word) return o.buffer = buffer, true;
         }
         return false;
       }},
      {"nccl.graph", "", "0 or 1", "0", "operations are captured in a CUDA graph once, and launched from there",
       [](NcclOptions& o, std::string_view v) { return read_flag(v, o.graph); }},
      {"nccl.share_gpu", "", "0 or 1", "0",
       "several ranks on a GPU, which takes turns: shows that results are right and settings have effect, no times",
       [](NcclOptions& o, std::string_view v) { return read_flag(v, o.share_gpu); }},
  });
  return table;
}

}  // namespace ringmark

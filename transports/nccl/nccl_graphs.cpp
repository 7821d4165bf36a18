#include "transports/nccl/nccl_graphs.hpp"

namespace ringmark {

NcclGraphs::Key NcclGraphs::key_of(const Operation& operation, Buffers buffers) {
  return {operation, buffers.send, buffers.recv};
}

bool NcclGraphs::launch(const Operation& operation, Buffers buffers) const {
  const auto found = graphs_.find(key_of(operation, buffers));
  if (found == graphs_.end()) return false;
  require_cuda(api_, api_.graph_launch(found->second, stream_.get()), "cuGraphLaunch");
  return true;
}

nccl::Result NcclGraphs::capture(const Operation& operation, Buffers buffers,
                                 const std::function<nccl::Result()>& issue) {
  require_cuda(api_, api_.stream_begin_capture(stream_.get(), cuda::capture_thread_local), "cuStreamBeginCapture");
  const auto result = issue();
  cuda::Graph graph = nullptr;
  const auto ended = api_.stream_end_capture(stream_.get(), &graph);
  if (result != nccl::success) {
    if (graph != nullptr) api_.graph_destroy(graph);
    return result;
  }
  require_cuda(api_, ended, "cuStreamEndCapture");
  cuda::GraphExec exec = nullptr;
  const auto made = api_.graph_instantiate(&exec, graph, 0);
  api_.graph_destroy(graph);
  require_cuda(api_, made, "cuGraphInstantiate");
  graphs_.emplace(key_of(operation, buffers), exec);
  return result;
}

void NcclGraphs::drop() noexcept {
  for (const auto& [key, graph] : graphs_) api_.graph_exec_destroy(graph);
  graphs_.clear();
}

}  // namespace ringmark

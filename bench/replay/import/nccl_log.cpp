#include <sstream>

#include "bench/replay/import/call_recorder.hpp"
#include "bench/replay/import/formats.hpp"
#include "transports/nccl/log_lines.hpp"

namespace ringmark::replay {

bool looks_like_nccl_log(const std::string& text) {
  constexpr std::size_t begin = 1 << 20;
  std::istringstream lines(text.substr(0, begin));
  for (std::string line; std::getline(lines, line);) {
    if (split_nccl_line(line)) return true;
  }
  return false;
}

std::vector<std::pair<std::string, Imported>> import_nccl_log(const std::string& text) {
  std::vector<std::pair<std::string, CallRecorder>> processes;
  const auto recorder_of = [&](const std::string& process) -> CallRecorder& {
    for (auto& [name, recorder] : processes) {
      if (name == process) return recorder;
    }
    return processes.emplace_back(process, CallRecorder{}).second;
  };
  std::istringstream lines(text);
  int of_others = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto split = split_nccl_line(line);
    if (!split) {
      of_others += line.empty() ? 0 : 1;
      continue;
    }
    const auto call = read_nccl_call(*split);
    const auto made = read_nccl_communicator(split->text);
    if (!call && !made && read_nccl_group(*split) != NcclGroupLine::end) {
      const bool is_cut = split->text.find(": opCount ") != std::string_view::npos;
      if (is_cut) recorder_of(split->process).skip("line that is cut off");
      continue;
    }
    auto& recorder = recorder_of(split->process);
    if (made) {
      recorder.communicator(made->communicator, made->rank, made->ranks);
    } else if (call) {
      recorder.call(call->function, call->count, call->type, call->op, call->root, call->communicator,
                    split->seconds.value_or(0) * 1e6, 0);
    } else {
      recorder.group_ends();
    }
  }
  if (of_others > 0 && !processes.empty()) {
    for (int i = 0; i < of_others; ++i) processes.front().second.skip("line that is none of NCCL's");
  }
  std::vector<std::pair<std::string, Imported>> result;
  for (auto& [name, recorder] : processes) result.emplace_back(name, recorder.finish("log of NCCL"));
  std::erase_if(result, [](const auto& each) { return each.second.calls.empty(); });
  return result;
}

}  // namespace ringmark::replay

#include <sstream>

#include "base/text/plain_text.hpp"
#include "replay/import/formats.hpp"
#include "replay/import/rank_recorders.hpp"
#include "transports/nccl/call_lines.hpp"
#include "transports/nccl/log_lines.hpp"
#include "transports/nccl/names.hpp"

namespace ringmark::replay {

bool looks_like_nccl_log(const std::string& text) {
  constexpr std::size_t begin = 1 << 20;
  std::istringstream lines(text.substr(0, begin));
  for (std::string line; std::getline(lines, line);) {
    if (split_nccl_line(plain_text(line))) return true;
  }
  return false;
}

namespace {

/// True for a line that begins like a call, or like the creation of a communicator in a CALL log. Complete ones have
/// already been read.
bool is_part_of_call(std::string_view text) {
  if (text.find(": opCount ") != std::string_view::npos || text.starts_with("ncclCommInitRank(") ||
      text.starts_with("ncclCommSplit("))
    return true;
  const auto name = text.substr(0, text.find_first_of("(:"));
  const bool is_call = name.starts_with("nccl") && text.size() > name.size() && text[name.size()] == '(';
  return is_call && collective_of_nccl(name.substr(4)).has_value();
}

/// True if each line appears twice, as when the log was written to the file in two ways.
bool has_each_line_twice(const std::string& text) {
  std::istringstream lines(text);
  std::string first, second;
  while (std::getline(lines, first)) {
    if (!std::getline(lines, second) || first != second) return false;
  }
  return true;
}

}  // namespace

std::vector<std::pair<std::string, Imported>> import_nccl_log(const std::string& text) {
  RankRecorders ranks;
  int of_others = 0;
  std::string any_process;
  const std::size_t step = has_each_line_twice(text) ? 2 : 1;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 0; std::getline(lines, line); ++number) {
    if (number % step != 0) continue;
    line = plain_text(line);
    const auto split = split_nccl_line(line);
    if (!split) {
      of_others += line.empty() ? 0 : 1;
      continue;
    }
    if (any_process.empty()) any_process = split->process;
    if (const auto made = read_nccl_communicator(split->text)) {
      ranks.communicator(split->process,
                         {made->communicator, made->id, made->rank, made->ranks, made->device, made->parent});
    } else if (const auto call = read_nccl_call(*split)) {
      auto& recorder = ranks.of(split->process, call->communicator, split->device);
      if (call->ranks) recorder.know_ranks(call->communicator, *call->ranks);
      recorder.call({call->function, call->count, call->type, call->op, call->root, call->communicator,
                     split->seconds.value_or(0) * 1e6, 0, call->op_count});
    } else if (const auto group = read_nccl_group(*split)) {
      if (group == NcclGroupLine::start) ranks.group_begins(split->process);
      if (group == NcclGroupLine::end) ranks.group_ends(split->process);
      if (group == NcclGroupLine::simulated) ranks.group_was_not_made(split->process, "simulated group");
    } else if (is_part_of_call(split->text)) {
      const bool is_whole = split->text.find(" stream 0x") != std::string_view::npos;
      ranks.of(split->process).skip(is_whole ? "call in an unknown form" : "truncated line");
    }
  }
  if (ranks.empty()) return {};
  for (int i = 0; i < of_others; ++i) ranks.of(any_process).skip("line not written by NCCL");
  return ranks.finish("NCCL log");
}

}  // namespace ringmark::replay

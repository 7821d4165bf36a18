#include "sweeps/nodes/node_launch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/shell_text.hpp"

namespace ringmark::sweep {
namespace {

/// Ends with the largest status of its ranks.
constexpr auto start_ranks = R"(for r in $(seq $FIRST_RANK $((FIRST_RANK + LOCAL_WORLD_SIZE - 1))); do )"
                             R"(RANK=$r LOCAL_RANK=$((r - FIRST_RANK)) "$@" & pids="$pids $!"; done; worst=0; )"
                             R"(for p in $pids; do wait $p; s=$?; [ $s -le $worst ] || worst=$s; done; exit $worst)";

int ranks_on(const Resolved& resolved, int node) {
  return std::min(resolved.ranks_per_node, resolved.ranks - node * resolved.ranks_per_node);
}

std::vector<std::string> shell_loop(const Resolved& resolved, int node, const MeetingPoint& meeting) {
  const auto variables = fmt::format(
      "export RINGMARK_MPI=none FIRST_RANK={} LOCAL_WORLD_SIZE={} WORLD_SIZE={} MASTER_ADDR={} MASTER_PORT={} "
      "TORCHELASTIC_USE_AGENT_STORE=True TORCHELASTIC_RUN_ID={} TORCHELASTIC_RESTART_COUNT=0; pids=; ",
      node * resolved.ranks_per_node, ranks_on(resolved, node), resolved.ranks, shell_word(meeting.host), meeting.port,
      shell_word(meeting.run));
  return {"/bin/sh", "-c", variables + start_ranks, "start-ranks"};
}

std::vector<std::string> torchrun(const Sweep& sweep, const Resolved& resolved, int node, const MeetingPoint& meeting) {
  auto words = sweep.launcher.command;
  if (words.empty()) words = {"torchrun"};
  // The spellings that every version accepts.
  for (auto&& word : {std::string("--no_python"), fmt::format("--nnodes={}", nodes_of(resolved)),
                      fmt::format("--node_rank={}", node), fmt::format("--nproc_per_node={}", ranks_on(resolved, node)),
                      fmt::format("--master_addr={}", meeting.host), fmt::format("--master_port={}", meeting.port)})
    words.push_back(word);
  words.insert(words.end(), sweep.launcher.arguments.begin(), sweep.launcher.arguments.end());
  return words;
}

}  // namespace

bool needs_nodes(LauncherKind kind) { return kind == LauncherKind::none || kind == LauncherKind::torchrun; }

Command node_part(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program, int node,
                  const MeetingPoint& meeting) {
  Command command{sweep.launcher.kind == LauncherKind::torchrun ? torchrun(sweep, resolved, node, meeting)
                                                                : shell_loop(resolved, node, meeting),
                  resolved.environment};
  command.words.insert(command.words.end(), program.begin(), program.end());
  return command;
}

std::vector<std::string> leaving_status(const std::vector<std::string>& program, const std::string& file) {
  std::vector<std::string> words{"/bin/sh", "-c", R"("$@"; s=$?; [ "$RANK" != 0 ] || echo $s >"$0"; exit $s)", file};
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

}  // namespace ringmark::sweep

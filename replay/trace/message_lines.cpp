#include "replay/trace/message_lines.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

using Messages = std::vector<std::pair<std::uint64_t, DataType>>;
/// One end of a line as its role sees it.
struct End {
  int group = 0, peer = 0;
  bool is_sender = false;

  auto operator<=>(const End&) const = default;
};
using Ends = std::map<End, Messages>;

Ends ends_of(const RoleTrace& trace, const Role& role) {
  Ends ends;
  for (const auto& play : role.plays) {
    for (const auto& event : trace.passes[static_cast<std::size_t>(play.pass)].events) {
      if (takes_line(trace, event))
        ends[{event.group, event.peer, event.kind == EventKind::send}].emplace_back(event.elements, event.type);
    }
  }
  return ends;
}

class Lines {
 public:
  explicit Lines(const RoleTrace& trace) : trace_(trace) {
    for (const auto& role : trace.roles) ends_.push_back(ends_of(trace, role));
  }

  LineRounds run() const {
    std::set<MessageLine> lines;
    for (int rank = 0; rank < trace_.ranks; ++rank) {
      for (const auto& [end, messages] : of(rank)) lines.insert(checked(rank, end, messages));
    }
    LineRounds result;
    std::set<std::pair<int, int>> is_taken;  // rank and round
    for (const auto& line : lines) {
      int round = 0;
      while (is_taken.contains({line.sender, round}) || is_taken.contains({line.receiver, round})) ++round;
      is_taken.insert({{line.sender, round}, {line.receiver, round}});
      result.round_of[line] = round;
      result.rounds = std::max(result.rounds, round + 1);
    }
    return result;
  }

 private:
  const Ends& of(int rank) const {
    return ends_[static_cast<std::size_t>(rank / trace_.role_stride) % trace_.roles.size()];
  }

  MessageLine checked(int rank, const End& end, const Messages& messages) const {
    const int other = rank + end.peer;
    if (other < 0 || other >= trace_.ranks)
      throw BadUsage(fmt::format("{}: rank {} has no peer {:+} among {} ranks", trace_.role_of(rank).name, rank,
                                 end.peer, trace_.ranks));
    const auto& ends = of(other);
    const auto found = ends.find({end.group, -end.peer, !end.is_sender});
    if (found == ends.end() || found->second != messages)
      throw BadUsage(fmt::format("{} and {} disagree about the messages {} rank {} {} rank {}",
                                 trace_.role_of(rank).name, trace_.role_of(other).name, end.is_sender ? "from" : "to",
                                 rank, end.is_sender ? "to" : "from", other));
    return end.is_sender ? MessageLine{end.group, rank, other} : MessageLine{end.group, other, rank};
  }

  const RoleTrace& trace_;
  std::vector<Ends> ends_;  ///< by role
};

}  // namespace

bool takes_line(const RoleTrace& trace, const Event& event) {
  return is_message(event) && event.peer != 0 && trace.groups[static_cast<std::size_t>(event.group)].size() > 1;
}

MessageLine line_of(const Event& message, int rank) {
  const int other = rank + message.peer;
  return message.kind == EventKind::send ? MessageLine{message.group, rank, other}
                                         : MessageLine{message.group, other, rank};
}

LineRounds lines_of(const RoleTrace& trace) { return Lines(trace).run(); }

}  // namespace ringmark::replay

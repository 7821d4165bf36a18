#include "replay/trace/calls.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

using OrderedJson = nlohmann::ordered_json;

class CallWriter {
 public:
  CallWriter(const RoleTrace& trace, int rank, std::ostream& out) : trace_(trace), rank_(rank), out_(out) {
    for (const auto& group : trace.groups) members_.push_back(group.members(rank));
  }

  void run() {
    for (const auto& play : trace_.role_of(rank_).plays) {
      const auto& pass = trace_.passes[static_cast<std::size_t>(play.pass)];
      std::map<int, int> batches;
      for (const auto& event : pass.events) {
        if (event.batch && !batches.contains(*event.batch)) batches[*event.batch] = next_batch_++;
        for (auto json : json_of(event)) {
          if (event.batch) json["batch"] = batches[*event.batch];
          json["phase"] = pass.name;
          if (play.micro_batch) json["mb"] = *play.micro_batch;
          if (pass.chunk) json["chunk"] = *pass.chunk;
          out_ << json.dump() << '\n';
        }
      }
    }
  }

 private:
  /// Empty for an event that is not a call; a send_recv becomes a call for each message sent or received.
  std::vector<OrderedJson> json_of(const Event& event) const {
    if (!is_call(event)) return {};
    const auto& members = members_[static_cast<std::size_t>(event.group)];
    if (members.size() < 2) return {};
    const auto call = [&](std::string_view op) {
      return OrderedJson{{"op", op},
                         {"n", event.elements},
                         {"dtype", event.is_boolean ? "bool" : name(event.type)},
                         {"group", members},
                         {"async", event.is_async}};
    };
    if (is_message(event)) {
      auto json = call(name(event.kind));
      json["peer"] = rank_ + event.peer;
      return {json};
    }
    if (event.collective == Collective::send_recv) {
      const auto place = place_in(members), size = members.size();
      std::vector<OrderedJson> messages;
      const auto add = [&](std::string_view op, std::size_t distance) {
        messages.push_back(call(op));
        messages.back()["peer"] = members[(place + distance) % size];
      };
      const bool is_both_ways = event.pattern == Pattern::neighbours && size > 2;
      add("send", 1);
      if (is_both_ways) add("send", size - 1);
      add("recv", size - 1);
      if (is_both_ways) add("recv", 1);
      return messages;
    }
    auto json = call(name(event.collective));
    if (reduces(event.collective) && event.op != ReduceOp::sum) json["red"] = name(event.op);
    if (is_rooted(event.collective)) json["root"] = members[static_cast<std::size_t>(event.root)];
    if (!event.counts.empty()) {
      const auto counts = counts_of(event, place_in(members), members.size());
      json["n"] = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      json["counts"] = counts;
    } else if (event.collective == Collective::all_to_all && event.depends_on_routing) {
      json["counts"] = std::vector<std::uint64_t>(members.size(), event.elements / members.size());
    }
    return {json};
  }

  std::size_t place_in(const std::vector<int>& members) const {
    return static_cast<std::size_t>(std::find(members.begin(), members.end(), rank_) - members.begin());
  }

  /// The counts that a member sends to each; all members may share a row.
  static std::vector<std::uint64_t> counts_of(const Event& event, std::size_t place, std::size_t members) {
    const auto first = event.counts.size() == members ? 0 : place * members;
    const auto row = event.counts.begin() + static_cast<std::ptrdiff_t>(first);
    return {row, row + static_cast<std::ptrdiff_t>(members)};
  }

  const RoleTrace& trace_;
  int rank_;
  std::ostream& out_;
  std::vector<std::vector<int>> members_;  ///< of the rank's groups
  int next_batch_ = 0;
};

}  // namespace

void write_calls(const AnyTrace& any, int rank, std::ostream& out) {
  const auto* const with_roles = std::get_if<RoleTrace>(&any);
  const auto trace = with_roles != nullptr ? *with_roles : with_one_role(std::get<StepTrace>(any));
  if (rank >= trace.ranks)
    throw BadUsage(fmt::format("--rank {}: {} has ranks 0 to {}", rank, trace.id, trace.ranks - 1));
  CallWriter(trace, rank, out).run();
}

}  // namespace ringmark::replay

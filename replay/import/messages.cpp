#include "replay/import/messages.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/text/spelling.hpp"

namespace ringmark::replay {
namespace {

std::uint64_t elements_of(const std::vector<Message>& messages, bool is_sent) {
  std::uint64_t sum = 0;
  for (const auto& each : messages) sum += each.is_sent == is_sent ? each.elements : 0;
  return sum;
}

std::set<int> peers_of(const std::vector<Message>& messages) {
  std::set<int> peers;
  for (const auto& each : messages) peers.insert(each.peer);
  return peers;
}

bool are_neighbours(const std::set<int>& peers, int rank, int ranks) {
  const auto are_of = [&](int any) {
    return std::all_of(peers.begin(), peers.end(),
                       [&](int peer) { return peer == (any + 1) % ranks || peer == (any + ranks - 1) % ranks; });
  };
  if (rank >= 0) return are_of(rank);
  // If the rank is unknown, they may be the neighbours of any rank.
  const int first = *peers.begin();
  const bool is_in_group = first >= 0 && first < ranks;
  return peers.size() == 1 || (is_in_group && (are_of((first + 1) % ranks) || are_of((first + ranks - 1) % ranks)));
}

std::optional<Call> to_several(const std::vector<Message>& messages, int ranks) {
  constexpr int most_ranks_with_counts = 4096;
  if (ranks > most_ranks_with_counts) return std::nullopt;
  Call call;
  call.collective = Collective::all_to_all;
  call.parts.assign(static_cast<std::size_t>(ranks), 0);
  for (const auto& each : messages) {
    if (each.peer < 0 || each.peer >= ranks) return std::nullopt;
    if (each.is_sent) call.parts[static_cast<std::size_t>(each.peer)] += each.elements;
  }
  call.elements = elements_of(messages, true);
  call.is_uneven = std::adjacent_find(call.parts.begin(), call.parts.end(), std::not_equal_to<>()) != call.parts.end();
  return call;
}

/// Replaces messages that were launched together with the call that `call_of_all` makes of them, if it makes one.
template <class CallOfAll>
void join(Imported& imported, CallOfAll call_of_all) {
  std::vector<Call> joined;
  auto& calls = imported.calls;
  for (std::size_t first = 0; first < calls.size();) {
    const auto& head = calls[first];
    auto end = first + 1;
    const auto is_with_it = [&](const Call& each) {
      return each.peer && each.batch == head.batch && each.communicator == head.communicator;
    };
    while (head.peer && head.batch >= 0 && end < calls.size() && is_with_it(calls[end])) ++end;
    std::optional<Call> call;
    if (head.peer) {
      std::vector<Message> messages;
      for (auto at = first; at < end; ++at)
        messages.push_back({calls[at].peer->is_sent, calls[at].peer->number, calls[at].elements, calls[at].type});
      const auto seen = head.communicator < 0 ? CommunicatorSeen{}
                                              : imported.communicators[static_cast<std::size_t>(head.communicator)];
      call = call_of_all(messages, seen);
    }
    if (call) {
      call->phase = head.phase;
      call->is_async = head.is_async;
      call->communicator = head.communicator;
      call->computed_us = head.computed_us;
      call->step = head.step;
      call->ran = head.ran;
      joined.push_back(*std::move(call));
    } else {
      joined.insert(joined.end(), calls.begin() + static_cast<std::ptrdiff_t>(first),
                    calls.begin() + static_cast<std::ptrdiff_t>(end));
    }
    first = end;
  }
  calls = std::move(joined);
}

/// Removes calls, and returns their number. The computation before a removed call goes to the next call.
template <class IsLeftOut>
std::size_t leave_out(Imported& imported, IsLeftOut is_left_out) {
  std::vector<Call> kept;
  double computed_us = 0;
  for (auto& call : imported.calls) {
    computed_us += call.computed_us;
    if (is_left_out(call)) continue;
    call.computed_us = std::exchange(computed_us, 0);
    kept.push_back(std::move(call));
  }
  imported.computed_after_us += computed_us;
  const auto count = imported.calls.size() - kept.size();
  imported.calls = std::move(kept);
  return count;
}

void leave_out_counterparts(Imported& imported) {
  std::set<int> sending;
  for (const auto& call : imported.calls) {
    if (call.collective == Collective::send_recv && !call.is_received) sending.insert(call.communicator);
  }
  const auto left_out =
      leave_out(imported, [&](const Call& call) { return call.is_received && sending.contains(call.communicator); });
  if (left_out > 0)
    imported.remarks.push_back(std::to_string(left_out) +
                               " messages that a rank received are part of the send_recv of their senders");
}

}  // namespace

std::optional<Call> call_of_messages(const std::vector<Message>& messages, int rank, int ranks) {
  const auto type = messages.front().type;
  const auto has_type = [&](const Message& each) { return each.type == type; };
  if (ranks < 2 || !std::all_of(messages.begin(), messages.end(), has_type)) return std::nullopt;
  const auto peers = peers_of(messages);
  const auto sent = elements_of(messages, true), received = elements_of(messages, false);
  const bool is_near = are_neighbours(peers, rank, ranks);
  std::optional<Call> call;
  if (is_near && (ranks > 2 || messages.size() <= 2)) {
    call.emplace();
    call->collective = Collective::send_recv;
    call->elements = sent > 0 ? sent : received;
    call->is_received = sent == 0;
    if (peers.size() > 1) call->pattern = Pattern::neighbours;
  } else if (sent > 0 && (is_near || peers.size() > 1)) {
    call = to_several(messages, ranks);
  }
  if (call) call->type = type;
  return call && call->elements > 0 ? call : std::nullopt;
}

int number_among(const std::vector<int>& members, int size, int ranks, int rank) {
  if (members.empty()) return size == ranks && rank < ranks ? rank : -1;
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

std::optional<MessageKind> message_named(const std::string& name) {
  const auto letters = letters_of(name);
  if (letters.ends_with("send")) return MessageKind::send;
  return letters.ends_with("recv") ? std::optional(MessageKind::receive) : std::nullopt;
}

Call call_of(const Message& message, Phase phase) {
  Call call{Collective::send_recv, message.elements, message.type, 0, phase, true, 0};
  call.is_received = !message.is_sent;
  call.peer = Peer{message.is_sent, message.peer};
  return call;
}

void join_exchanges(Imported& imported) {
  join(imported, [&](const std::vector<Message>& messages, const CommunicatorSeen& seen) {
    const auto is_to_itself = [&](const Message& each) { return each.is_sent && each.peer == seen.rank; };
    constexpr std::size_t most_neighbours = 2;
    const bool is_exchange =
        std::any_of(messages.begin(), messages.end(), is_to_itself) || peers_of(messages).size() > most_neighbours;
    return is_exchange ? call_of_messages(messages, seen.rank, seen.ranks) : std::nullopt;
  });
}

void join_messages(Imported& imported) {
  join(imported, [&](const std::vector<Message>& messages, const CommunicatorSeen& seen) {
    constexpr int least_ranks = 2;
    return call_of_messages(messages, seen.ranks > 0 ? seen.rank : -1, std::max(least_ranks, seen.ranks));
  });
  const auto left = [](const Call& call) { return call.peer.has_value(); };
  for (const auto& call : imported.calls) {
    if (left(call)) ++imported.not_understood[call.peer->is_sent ? "send" : "recv"];
  }
  leave_out(imported, left);
  leave_out_counterparts(imported);
}

}  // namespace ringmark::replay

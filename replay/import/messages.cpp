#include "replay/import/messages.hpp"

#include <algorithm>
#include <cctype>
#include <set>

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
  // Of an unknown rank: those of any one rank.
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

void leave_out_counterparts(Imported& imported) {
  std::set<int> sending;
  for (const auto& call : imported.calls) {
    if (call.collective == Collective::send_recv && !call.is_received) sending.insert(call.communicator);
  }
  std::vector<Call> kept;
  double computed_us = 0;
  int left_out = 0;
  for (auto& call : imported.calls) {
    computed_us += call.computed_us;
    if (call.is_received && sending.contains(call.communicator)) {
      ++left_out;
      continue;
    }
    call.computed_us = std::exchange(computed_us, 0);
    kept.push_back(std::move(call));
  }
  imported.computed_after_us += computed_us;
  imported.calls = std::move(kept);
  if (left_out > 0)
    imported.remarks.push_back(std::to_string(left_out) +
                               " messages that a rank received are part of the send_recv of their senders");
}

}  // namespace ringmark::replay

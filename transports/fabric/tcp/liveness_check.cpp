#include "transports/fabric/tcp/liveness_check.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringmark {
namespace {

/// A rank on an overloaded host may be scheduled late.
constexpr auto roll_patience = std::chrono::milliseconds(1500);
constexpr auto between_ranks = std::chrono::milliseconds(250);
constexpr auto between_calls = std::chrono::milliseconds(50);
constexpr int most_turns = 8;

struct Call {
  int rank;
  ConnectionAttempt attempt;
  bool host_answers = false;
};

/// Answers other ranks for a moment; false once one of them has reported a loss.
bool answer_until(TcpEndpoint& endpoint, const std::vector<Call>& calls, Deadline until) {
  endpoint.serve();
  if (endpoint.notice()) return false;
  std::vector<pollfd> polled;
  endpoint.append_poll(polled);
  for (const auto& call : calls) polled.push_back(call.attempt.polled());
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until.left(between_calls));
  ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  return true;
}

/// True once the rank has answered, or is known to be lost, since ranks that are connected to it then report the loss.
bool is_over(Call& call) {
  try {
    const bool has_answered = call.attempt.advance().has_value();
    call.host_answers |= call.attempt.was_answered();
    return has_answered;
  } catch (const std::exception&) {
    return call.attempt.was_answered();
  }
}

}  // namespace

std::vector<Absence> check_liveness(TcpEndpoint& endpoint, std::span<const int> members) {
  const auto before = std::count_if(members.begin(), members.end(), [&](int rank) { return rank < endpoint.rank(); });
  const auto turn = Deadline::after(std::min<int>(static_cast<int>(before), most_turns) * between_ranks);
  while (!turn.passed()) {
    if (!answer_until(endpoint, {}, turn)) return {};
  }
  std::vector<Call> calls;
  std::vector<Absence> absences;
  for (const int rank : members) {
    if (rank == endpoint.rank()) continue;
    try {
      calls.push_back({rank, endpoint.attempt(rank, {.kind = HelloKind::probe}, "")});
    } catch (const std::exception&) {
      absences.push_back({rank, false});  // it cannot be reached
    }
  }
  for (const auto deadline = Deadline::after(roll_patience); !calls.empty() && !deadline.passed();) {
    if (!answer_until(endpoint, calls, deadline)) return {};
    std::erase_if(calls, is_over);
  }
  for (const auto& call : calls) absences.push_back({call.rank, call.host_answers});
  std::sort(absences.begin(), absences.end(), [](const Absence& x, const Absence& y) { return x.rank < y.rank; });
  return absences;
}

std::string describe_absences(const TcpEndpoint& endpoint, const std::vector<Absence>& absences) {
  std::string text = absences.front().host_answers
                         ? "it does not answer, but its host does: was it stopped, or is it too busy?"
                         : "neither it nor its host answers";
  constexpr std::size_t most = 8;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < std::min(absences.size(), most + 1); ++i)
    others.push_back(fmt::format("rank {} on {}", absences[i].rank, endpoint.host(absences[i].rank)));
  if (absences.size() > most + 1) others.push_back(fmt::format("{} more", absences.size() - most - 1));
  if (!others.empty()) text += fmt::format("; neither do {}", fmt::join(others, ", "));
  return text;
}

}  // namespace ringmark

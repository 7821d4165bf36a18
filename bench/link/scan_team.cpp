#include "bench/link/scan_team.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "transports/fabric/tcp/liveness_check.hpp"

namespace ringmark {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(250);

/// The reason without the rank's name, which the list of lost ranks already contains.
std::string reason_of(const std::exception& error) {
  const auto* lost = dynamic_cast<const PeerLost*>(&error);
  return lost != nullptr ? lost->reason() : error.what();
}

}  // namespace

ScanTeam::ScanTeam(std::shared_ptr<TcpEndpoint> endpoint, std::chrono::milliseconds timeout)
    : endpoint_(std::move(endpoint)), timeout_(timeout) {
  for (int rank = 1; rank < endpoint_->size(); ++rank) {
    try {
      lines_.try_emplace(rank, endpoint_, rank, timeout_);
    } catch (const TransportError& error) {
      lose(rank, reason_of(error));
    }
  }
}

void ScanTeam::lose(int rank, std::string why) {
  lines_.erase(rank);
  lost_.try_emplace(rank, std::move(why));
}

void ScanTeam::tell(int rank, std::string_view message) {
  const auto line = lines_.find(rank);
  if (line == lines_.end()) return;
  try {
    line->second.send(message);
  } catch (const TransportError& error) {
    lose(rank, reason_of(error));
  }
}

std::map<int, std::string> ScanTeam::hear(const std::vector<LinkEnds>& links) {
  std::map<int, std::string> messages;
  std::vector<Awaited> awaited;
  const auto is_over = [&](int rank) { return rank == 0 || is_lost(rank) || messages.contains(rank); };
  const auto await = [&](int rank, int partner) {
    auto found = std::find_if(awaited.begin(), awaited.end(), [&](const Awaited& each) { return each.rank == rank; });
    if (found == awaited.end()) found = awaited.insert(found, {rank});
    found->partners.push_back(partner);
  };
  for (const auto& [source, destination] : links) {
    await(source, destination);
    await(destination, source);
  }
  auto next_look_at_all = Deadline::now();
  auto next_roll = Deadline::after(timeout_);
  for (;;) {
    // A rank that stops responding triggers no poll event.
    const bool looks_at_all = next_look_at_all.passed();
    if (looks_at_all) next_look_at_all = Deadline::after(between_looks);
    endpoint_->serve();
    for (auto& each : awaited) {
      if (!is_over(each.rank) && (looks_at_all || each.is_ready)) look(each, messages);
    }
    if (next_roll.passed()) {
      lose_absent(awaited);
      next_roll = Deadline::after(timeout_);
    }
    std::erase_if(awaited, [&](const Awaited& each) { return is_over(each.rank); });
    if (awaited.empty()) return messages;
    std::vector<pollfd> polled;
    for (auto& each : awaited) {
      if (!each.until && std::all_of(each.partners.begin(), each.partners.end(), is_over))
        each.until = Deadline::after(timeout_);
      each.first_polled = polled.size();
      lines_.at(each.rank).append_poll(polled);
      each.end_polled = polled.size();
    }
    ::poll(polled.data(), polled.size(), static_cast<int>(between_looks.count()));
    for (auto& each : awaited) {
      each.is_ready = std::any_of(polled.begin() + static_cast<std::ptrdiff_t>(each.first_polled),
                                  polled.begin() + static_cast<std::ptrdiff_t>(each.end_polled),
                                  [](const pollfd& one) { return one.revents != 0; });
    }
  }
}

/// Pings the awaited ranks: a measurement may take longer than the timeout, but a healthy rank responds meanwhile.
void ScanTeam::lose_absent(const std::vector<Awaited>& awaited) {
  std::vector<int> ranks;
  for (const auto& each : awaited) {
    if (each.rank != 0 && !is_lost(each.rank)) ranks.push_back(each.rank);
  }
  for (const auto& absence : check_liveness(*endpoint_, ranks)) {
    lose(absence.rank, describe_absences(*endpoint_, {absence}));
  }
}

void ScanTeam::look(const Awaited& at, std::map<int, std::string>& messages) {
  try {
    if (auto message = lines_.at(at.rank).look()) {
      messages[at.rank] = *std::move(message);
    } else if (at.until && at.until->passed()) {
      lose(at.rank,
           fmt::format("it did not answer within {:g} s (--timeout)", std::chrono::duration<double>(timeout_).count()));
    }
  } catch (const TransportError& error) {
    lose(at.rank, reason_of(error));
  }
}

}  // namespace ringmark

#include "analysis/job/evidence.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text/spelling.hpp"
#include "replay/import/formats.hpp"

namespace ringmark::analysis::job {

std::string_view name(SourceKind kind) {
  switch (kind) {
    case SourceKind::flight_recorder:
      return "Flight Recorder dump";
    case SourceKind::watchdog:
      return "PyTorch watchdog log";
    case SourceKind::ras:
      return "NCCL RAS report";
    case SourceKind::inspector:
      return "NCCL Inspector log";
    case SourceKind::nccl_profiler:
      break;
  }
  return "NCCL profiler trace";
}

std::string_view name(Liveness liveness) {
  switch (liveness) {
    case Liveness::unresponsive:
      return "does not answer";
    case Liveness::dead:
      return "is considered dead";
    case Liveness::not_a_member:
      return "has left the communicator";
    case Liveness::error:
      break;
  }
  return "reported an error";
}

std::size_t Evidence::communicator(const std::string& id, const std::string& description, bool has_job_ranks) {
  const auto found = std::find_if(communicators.begin(), communicators.end(), [&](const Communicator& each) {
    return each.id == id && each.description == description && each.has_job_ranks == has_job_ranks;
  });
  if (found != communicators.end()) return static_cast<std::size_t>(found - communicators.begin());
  communicators.push_back({.id = id, .description = description, .has_job_ranks = has_job_ranks});
  return communicators.size() - 1;
}

RankCalls& Evidence::calls_of(std::size_t source, std::size_t communicator, int rank) {
  const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const RankCalls& each) {
    return each.source == source && each.communicator == communicator && each.rank == rank;
  });
  if (found != calls.rend()) return *found;
  calls.push_back({.source = source, .communicator = communicator, .rank = rank, .calls = {}});
  return calls.back();
}

std::string Evidence::host_of(std::size_t communicator, int rank) const {
  if (communicators[communicator].has_job_ranks && rank >= 0 && static_cast<std::size_t>(rank) < hosts.size())
    return hosts[static_cast<std::size_t>(rank)];
  for (const auto& each : calls) {
    if (each.communicator == communicator && each.rank == rank && !each.host.empty()) return each.host;
  }
  for (const auto& each : timed) {
    if (each.communicator == communicator && each.rank == rank && !each.host.empty()) return each.host;
  }
  for (const auto& each : statements) {
    if (each.communicator == communicator && each.rank && each.rank->rank == rank) return each.rank->host;
  }
  return "";
}

void Evidence::add(Evidence part) {
  const auto first_source = sources.size();
  std::vector<std::size_t> index;
  for (const auto& each : part.communicators) {
    index.push_back(communicator(each.id, each.description, each.has_job_ranks));
    auto& mine = communicators[index.back()];
    mine.size = std::max(mine.size, each.size);
    mine.members.insert(each.members.begin(), each.members.end());
  }
  const auto append = [&](auto& to, auto& from) {
    for (auto& each : from) {
      each.source += first_source;
      if constexpr (requires { each.communicator = std::size_t{}; }) {
        if constexpr (requires { each.communicator.has_value(); }) {
          if (each.communicator) each.communicator = index[*each.communicator];
        } else {
          each.communicator = index[each.communicator];
        }
      }
      to.push_back(std::move(each));
    }
  };
  append(calls, part.calls);
  append(timed, part.timed);
  append(statements, part.statements);
  append(counts, part.counts);
  append(statuses, part.statuses);
  std::move(part.sources.begin(), part.sources.end(), std::back_inserter(sources));
  std::move(part.notes.begin(), part.notes.end(), std::back_inserter(notes));
  dumped.insert(part.dumped.begin(), part.dumped.end());
  least_ranks = std::max(least_ranks, part.least_ranks);
}

std::string name(const Communicator& communicator) {
  if (!communicator.has_job_ranks) return fmt::format("communicator {}", communicator.id);
  if (communicator.id.empty()) return "an unnamed group";
  // PyTorch's description of a group that was given none.
  const bool has_description = !communicator.description.empty() && communicator.description != "undefined";
  return !has_description ? fmt::format("group {}", communicator.id)
                          : fmt::format("group {} ({})", communicator.id, communicator.description);
}

std::string operation_named(std::string_view spelling) {
  const auto end = spelling.find(' ');  // "nccl:send 0->1"
  auto word = spelling.substr(0, end);
  if (const auto colon = word.find_last_of(':'); colon != std::string_view::npos) word.remove_prefix(colon + 1);
  if (const auto collective = replay::collective_named(word)) return std::string(name(*collective));
  return lower_case(word);
}

}  // namespace ringmark::analysis::job

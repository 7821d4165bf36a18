#include <algorithm>

#include <fmt/format.h>

#include "analysis/job/readers.hpp"
#include "base/errors.hpp"
#include "base/text/line_cursor.hpp"
#include "replay/import/formats.hpp"
#include "replay/import/recorded_ranks.hpp"

namespace ringmark::analysis::job {
namespace {

std::optional<Time> time_in(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number_integer() || found->get<std::int64_t>() <= 0) return std::nullopt;
  return Time(std::chrono::nanoseconds(found->get<std::int64_t>()));
}

/// Gloo's entries keep the state `scheduled`: they are retired when they end.
CallState state_of(const nlohmann::json& entry) {
  const auto state = entry.at("state").get<std::string>();
  const bool is_gloo = entry.at("profiling_name").get<std::string>().starts_with("gloo:");
  if (state == "completed" || (is_gloo && entry.value("retired", false))) return CallState::completed;
  return state == "started" ? CallState::started : CallState::scheduled;
}

/// The sizes and types that must be equal on all ranks. Empty for gather and scatter, where the root differs, and for
/// all_to_all, where any rank may.
std::string shape_of(const nlohmann::json& entry, const std::string& operation) {
  if (operation == "gather" || operation == "scatter" || operation == "all_to_all") return "";
  return fmt::format("{} {}", entry.value("input_sizes", nlohmann::json::array()).dump(),
                     entry.value("input_dtypes", nlohmann::json::array()).dump());
}

/// The peer in "nccl:recv 1<-0" and "nccl:send 0->1": a number in the group.
std::optional<int> peer_in(std::string_view profiling_name) {
  LineCursor scan(profiling_name);
  if (!scan.find("->")) {
    scan = LineCursor(profiling_name);
    if (!scan.find("<-")) return std::nullopt;
  }
  return scan.number<int>();
}

class DumpReader {
 public:
  DumpReader(Evidence& evidence, std::size_t source, int rank) : evidence_(evidence), source_(source), rank_(rank) {}

  void read_groups(const nlohmann::json& configuration) {
    for (const auto& [id, group] : configuration.items()) {
      const auto ranks = replay::ranks_in(nlohmann::json::parse(group.at("ranks").get<std::string>(), nullptr, false));
      // Gloo's groups have no name, and number their ranks from 0 in the group that the rank created last.
      evidence_.least_ranks = std::max(evidence_.least_ranks, static_cast<int>(ranks.size()));
      for (const int each : ranks) evidence_.least_ranks = std::max(evidence_.least_ranks, each + 1);
      if (id.empty()) continue;
      auto& communicator = communicator_of(id, group.value("desc", ""));
      communicator.members.insert(ranks.begin(), ranks.end());
      communicator.size = static_cast<int>(communicator.members.size());
    }
  }

  void read_entry(const nlohmann::json& entry) {
    const auto& group = entry.at("process_group");
    const auto communicator = evidence_.communicator(group.at(0).get<std::string>(), group.at(1).get<std::string>(),
                                                     /*has_job_ranks=*/true);
    auto& mine = evidence_.calls_of(source_, communicator, rank_);
    groups_[entry.at("pg_id").get<std::int64_t>()] = communicator;
    const auto profiling_name = entry.at("profiling_name").get<std::string>();
    const auto operation = operation_named(profiling_name);
    const auto state = state_of(entry);
    if (entry.value("is_p2p", false)) {
      const auto peer = peer_in(profiling_name);
      if (peer && state != CallState::completed)
        mine.messages.push_back({operation, peer_rank(communicator, *peer), time_in(entry, "time_created_ns")});
      return;
    }
    has_gloo_ = has_gloo_ || profiling_name.starts_with("gloo:");
    const auto sequence = entry.at("collective_seq_id").get<std::uint64_t>();
    const auto [known, is_new] = mine.calls.try_emplace(
        sequence,
        Call{sequence, operation, shape_of(entry, operation), state, time_in(entry, "time_created_ns"), {}, {}});
    if (is_new) return;
    // Coalesced calls share a sequence number.
    auto& call = known->second;
    if (operation != "coalesced")
      call.operation = call.operation == operation ? operation : call.operation + "+" + operation;
    call.shape += shape_of(entry, operation);
    call.state = std::min(call.state, state);
  }

  /// Gloo also counts messages, so its numbers differ from the entries' sequence numbers.
  void read_status(const nlohmann::json& status) {
    for (const auto& [id, numbers] : status.items()) {
      const auto known = groups_.find(LineCursor(id).number<std::int64_t>().value_or(-1));
      if (known == groups_.end() || has_gloo_) continue;
      if (const auto last = replay::number_in(numbers, "last_enqueued_collective"))
        evidence_.calls_of(source_, known->second, rank_).last_entered = last;
    }
  }

 private:
  Communicator& communicator_of(const std::string& id, const std::string& description) {
    return evidence_.communicators[evidence_.communicator(id, description, /*has_job_ranks=*/true)];
  }
  int peer_rank(std::size_t communicator, int peer) const {
    const auto& members = evidence_.communicators[communicator].members;
    if (peer < 0 || static_cast<std::size_t>(peer) >= members.size()) return peer;
    return *std::next(members.begin(), peer);
  }

  Evidence& evidence_;
  std::size_t source_;
  int rank_;
  std::map<std::int64_t, std::size_t> groups_;  ///< by pg_id, which only this rank uses
  bool has_gloo_ = false;
};

void check_version(const JobFile& file, const std::string& version) {
  if (!version.starts_with("2."))
    throw BadUsage(
        fmt::format("{}: a Flight Recorder dump of version {}; this Ringmark reads version 2", file.path, version));
}

}  // namespace

bool is_flight_recorder(const nlohmann::json& json) {
  return json.is_object() && json.contains("version") && json.contains("pg_config");
}

void read_flight_recorder(Evidence& evidence, const JobFile& file, const nlohmann::json& dump) {
  const auto rank = replay::rank_of_file(file.path);
  if (!rank)
    throw BadUsage(
        fmt::format("{}: a Flight Recorder dump does not contain its rank; end the file's name with it, as in "
                    "nccl_trace_rank_3",
                    file.path));
  try {
    const auto version = dump.at("version").get<std::string>();
    check_version(file, version);
    evidence.sources.push_back({file.path, SourceKind::flight_recorder, version, file.modified});
    evidence.dumped.insert(*rank);
    evidence.least_ranks = std::max(evidence.least_ranks, *rank + 1);
    DumpReader reader(evidence, evidence.sources.size() - 1, *rank);
    reader.read_groups(dump.at("pg_config"));
    if (const auto entries = dump.find("entries"); entries != dump.end()) {
      for (const auto& entry : *entries) reader.read_entry(entry);
    }
    if (const auto status = dump.find("pg_status"); status != dump.end()) reader.read_status(*status);
  } catch (const nlohmann::json::exception& error) {
    throw BadUsage(fmt::format("{}: not a Flight Recorder dump of version 2: {}", file.path, error.what()));
  }
}

}  // namespace ringmark::analysis::job

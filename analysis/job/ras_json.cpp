#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/job/readers.hpp"
#include "base/errors.hpp"

namespace ringmark::analysis::job {
namespace {

RankName rank_in(const nlohmann::json& json) {
  auto host = json.value("host", "");
  return {json.at("rank").get<int>(), host == "unknown" ? "" : host};
}

using Counts = std::map<std::string, std::map<std::uint64_t, CountGroup, std::greater<>>>;  ///< by operation

class RasJsonReader {
 public:
  RasJsonReader(Evidence& evidence, std::size_t source) : evidence_(evidence), source_(source) {}

  void take(const nlohmann::json& json) {
    const auto communicator = evidence_.communicator(json.at("hash").get<std::string>(), "", /*has_job_ranks=*/false);
    evidence_.communicators[communicator].size = json.at("size").get<int>();
    const auto statements_before = evidence_.statements.size();
    Counts counts;
    for (const auto& rank : json.at("ranks")) take_rank(communicator, rank, counts);
    for (const auto& rank : json.value("missing_ranks", nlohmann::json::array())) take_missing(communicator, rank);
    bool is_ok = evidence_.statements.size() == statements_before;
    for (const auto& [operation, groups] : counts) {
      if (groups.size() < 2) continue;
      is_ok = false;
      evidence_.counts.push_back({source_, communicator, operation_named(operation)});
      for (const auto& [count, group] : groups) evidence_.counts.back().groups.push_back(group);
    }
    evidence_.statuses.push_back({source_, 1, evidence_.communicators[communicator].size, "", is_ok});
  }

 private:
  void take_rank(std::size_t communicator, const nlohmann::json& json, Counts& counts) {
    const auto rank = rank_in(json);
    const auto& status = json.at("status");
    constexpr int in_progress = 7;  // ncclInProgress, which is not an error
    for (const char* key : {"init_state", "async_error"}) {
      const auto result = status.value(key, 0);
      if (result != 0 && result != in_progress)
        add(communicator, rank, Liveness::error, fmt::format("{} {}", key, result));
    }
    const auto of_rank = json.find("collective_counts");
    if (of_rank == json.end()) return;
    for (const auto& [operation, count] : of_rank->items()) {
      auto& group = counts[operation][count.get<std::uint64_t>()];
      group.count = count.get<std::uint64_t>();
      ++group.ranks;
      group.listed.push_back(rank);
    }
  }

  void take_missing(std::size_t communicator, const nlohmann::json& json) {
    const auto& status = json.at("status");
    add(communicator, rank_in(json),
        status.value("considered_dead", false) ? Liveness::dead
        : status.value("unresponsive", false)  ? Liveness::unresponsive
                                               : Liveness::not_a_member,
        "");
  }

  void add(std::size_t communicator, const RankName& rank, Liveness liveness, const std::string& detail) {
    evidence_.statements.push_back(
        {.source = source_, .communicator = communicator, .rank = rank, .liveness = liveness, .detail = detail});
  }

  Evidence& evidence_;
  std::size_t source_;
};

/// An event of monitoring mode.
void take_event(Evidence& evidence, std::size_t source, const nlohmann::json& event) {
  if (event.at("event").get<std::string>() != "PEER_DEAD") return;
  const auto& peer = event.at("peer");
  evidence.statements.push_back(
      {.source = source,
       .liveness = Liveness::dead,
       .process = fmt::format("process {} on node {}", peer.at("pid").get<int>(), peer.at("host").get<std::string>())});
}

bool is_event(const nlohmann::json& json) { return json.contains("event") && json.contains("peer"); }

}  // namespace

bool is_ras_json(const nlohmann::json& json) {
  return json.is_object() && ((json.contains("nccl_version") && json.contains("communicators")) || is_event(json));
}

void read_ras_json(Evidence& evidence, const JobFile& file, const nlohmann::json& report) {
  try {
    const auto version = report.value("nccl_version", "");
    if (!is_event(report)) check_ras_version(file, version);
    evidence.sources.push_back({file.path, SourceKind::ras, version, file.modified});
    const auto source = evidence.sources.size() - 1;
    if (is_event(report)) return take_event(evidence, source, report);
    RasJsonReader reader(evidence, source);
    for (const auto& communicator : report.at("communicators")) reader.take(communicator);
  } catch (const nlohmann::json::exception& error) {
    throw BadUsage(fmt::format("{}: not a RAS report of NCCL 2.28.7 or later: {}", file.path, error.what()));
  }
}

}  // namespace ringmark::analysis::job

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analysis/job/readers.hpp"
#include "analysis/read/json_documents.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"

namespace ringmark::analysis::job {
namespace {

constexpr std::string_view version_key = "inspector_output_format_version";
constexpr std::array<std::string_view, 5> known_versions{"v4.0", "v4.1", "v4.2", "v4.3", "v4.4"};

class LogReader {
 public:
  LogReader(Evidence& evidence, const JobFile& file) : evidence_(evidence), file_(file) {}

  /// Since v4.3 a record of statistics comes before a communicator's operations, which have no header of their own.
  void take(const nlohmann::json& record) {
    if (record.contains("header") && record.contains("metadata")) take_context(record);
    const auto found = record.find("coll_perf");
    if (found == record.end()) return;
    if (!source_)
      throw BadUsage(fmt::format("{}: an operation comes before the header of its communicator", file_.path));
    const auto& timed = *found;
    evidence_.timed.push_back(
        {*source_, communicator_, rank_, host_, operation_named(timed.at("coll").get<std::string>()),
         timed.at("coll_sn").get<std::uint64_t>(), timed.at("coll_msg_size_bytes").get<std::uint64_t>(),
         timed.at("coll_exec_time_us").get<double>(), timed.at("coll_busbw_gbs").get<double>()});
  }

 private:
  void take_context(const nlohmann::json& record) {
    const auto& header = record.at("header");
    const auto& metadata = record.at("metadata");
    const auto version = metadata.at(version_key).get<std::string>();
    if (std::find(known_versions.begin(), known_versions.end(), version) == known_versions.end())
      throw BadUsage(fmt::format("{}: NCCL Inspector's format {}; this Ringmark reads {} to {}", file_.path, version,
                                 known_versions.front(), known_versions.back()));
    const Time written(std::chrono::microseconds(metadata.at("dump_timestamp_us").get<std::int64_t>()));
    if (!source_) {
      evidence_.sources.push_back({file_.path, SourceKind::inspector, version, written});
      source_ = evidence_.sources.size() - 1;
    }
    evidence_.sources[*source_].taken = std::max(*evidence_.sources[*source_].taken, written);
    rank_ = header.at("rank").get<int>();
    host_ = metadata.at("hostname").get<std::string>();
    const auto label = header.value("comm_name", "unknown");
    communicator_ = evidence_.communicator(header.at("id").get<std::string>(), label == "unknown" ? "" : label,
                                           /*has_job_ranks=*/false);
    evidence_.communicators[communicator_].size = header.at("n_ranks").get<int>();
  }

  Evidence& evidence_;
  const JobFile& file_;
  std::optional<std::size_t> source_;
  std::size_t communicator_ = 0;
  int rank_ = 0;
  std::string host_;
};

}  // namespace

bool is_inspector(std::string_view text) {
  constexpr std::size_t enough = 4096;
  return text.substr(0, enough).find(version_key) != std::string_view::npos;
}

void read_inspector(Evidence& evidence, const JobFile& file, std::string_view text) {
  LogReader reader(evidence, file);
  const auto documents = json_documents(text);
  for (const auto& each : documents) {
    const auto where = fmt::format("{}:{}", file.path, each.line);
    refuse_deep_nesting(where, each.text);
    const auto record = nlohmann::json::parse(each.text, nullptr, false);
    if (record.is_discarded()) {
      if (&each != &documents.back()) throw BadUsage(fmt::format("{}: not JSON", where));
      evidence.notes.push_back(fmt::format("{}: the last record is cut off and left out", where));
      break;
    }
    try {
      reader.take(record);
    } catch (const nlohmann::json::exception& error) {
      throw BadUsage(fmt::format("{}: not a record of NCCL's Inspector: {}", where, error.what()));
    }
  }
}

}  // namespace ringmark::analysis::job

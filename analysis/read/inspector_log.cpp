#include "analysis/read/inspector_log.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/read/json_documents.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "replay/import/formats.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::string_view version_key = "inspector_output_format_version";
constexpr std::array<std::string_view, 5> known_versions{"v4.0", "v4.1", "v4.2", "v4.3", "v4.4"};

/// NCCL counts what one rank sends to an all_gather, or receives from a reduce_scatter.
std::uint64_t full_bytes(std::string_view called, std::uint64_t message_bytes, int ranks) {
  const auto collective = replay::collective_named(called);
  const bool is_of_one_rank = collective == Collective::all_gather || collective == Collective::reduce_scatter;
  return is_of_one_rank && ranks > 0 ? message_bytes * static_cast<std::uint64_t>(ranks) : message_bytes;
}

class LogReader {
 public:
  explicit LogReader(const std::string& file) : file_(file) {}

  /// Since v4.3 a record of statistics comes before a communicator's operations, which have no header of their own.
  void take(const nlohmann::json& record, std::size_t line) {
    if (record.contains("header") && record.contains("metadata")) take_context(record);
    const auto found = record.find("coll_perf");
    if (found == record.end()) return;
    if (!context_) throw BadUsage(fmt::format("{}: an operation comes before the header of its communicator", file_));
    const auto& timed = *found;
    const auto called = timed.at("coll").get<std::string>();
    log_.calls.push_back(
        {*context_, line, called, timed.at("coll_sn").get<std::uint64_t>(),
         full_bytes(called, timed.at("coll_msg_size_bytes").get<std::uint64_t>(), log_.contexts[*context_].ranks),
         timed.at("coll_exec_time_us").get<double>(), timed.at("coll_busbw_gbs").get<double>()});
  }

  InspectorLog& log() { return log_; }

 private:
  void take_context(const nlohmann::json& record) {
    const auto& header = record.at("header");
    const auto& metadata = record.at("metadata");
    const auto version = metadata.at(version_key).get<std::string>();
    if (std::find(known_versions.begin(), known_versions.end(), version) == known_versions.end())
      throw BadUsage(fmt::format("{}: NCCL Inspector's format {}; this Ringmark reads {} to {}", file_, version,
                                 known_versions.front(), known_versions.back()));
    const std::chrono::sys_time<std::chrono::microseconds> written(
        std::chrono::microseconds(metadata.at("dump_timestamp_us").get<std::int64_t>()));
    if (log_.version.empty()) log_.version = version;
    log_.written = std::max(log_.written, written);
    const auto label = header.value("comm_name", "unknown");
    const InspectorLog::Context context{header.at("id").get<std::string>(), label == "unknown" ? "" : label,
                                        header.at("rank").get<int>(),       header.at("n_ranks").get<int>(),
                                        header.value("nnodes", 0),          metadata.at("hostname").get<std::string>()};
    auto& known = log_.contexts;
    const auto found = std::find(known.begin(), known.end(), context);
    context_ = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) known.push_back(context);
  }

  const std::string& file_;
  InspectorLog log_;
  std::optional<std::size_t> context_;
};

/// The first line with text between records; nothing if there is none.
std::optional<std::size_t> line_beside(std::string_view text, const std::vector<JsonDocument>& documents) {
  const auto* at = text.data();
  std::size_t line = 1;
  const auto rest_until = [&](const char* end) {
    const std::string_view between(at, static_cast<std::size_t>(end - at));
    const auto found = between.find_first_not_of(" \t\r\n");
    line += static_cast<std::size_t>(std::count(
        between.begin(), between.begin() + static_cast<std::ptrdiff_t>(std::min(found, between.size())), '\n'));
    return found != std::string_view::npos;
  };
  for (const auto& each : documents) {
    if (rest_until(each.text.data())) return line;
    line = each.line + static_cast<std::size_t>(std::count(each.text.begin(), each.text.end(), '\n'));
    at = each.text.data() + each.text.size();
  }
  return rest_until(text.data() + text.size()) ? std::optional(line) : std::nullopt;
}

}  // namespace

bool is_inspector_log(std::string_view text) {
  constexpr std::size_t enough = 4096;
  return text.substr(0, enough).find(version_key) != std::string_view::npos;
}

InspectorLog read_inspector_log(const std::string& file, std::string_view text) {
  LogReader reader(file);
  const auto documents = json_documents(text);
  if (const auto line = line_beside(text, documents))
    reader.log().damage = fmt::format("{}:{}: text between the records is ignored", file, *line);
  for (const auto& each : documents) {
    const auto where = fmt::format("{}:{}", file, each.line);
    refuse_deep_nesting(where, each.text);
    const auto record = nlohmann::json::parse(each.text, nullptr, false);
    if (record.is_discarded()) {
      if (&each != &documents.back()) throw BadUsage(fmt::format("{}: not JSON", where));
      reader.log().cut_off = fmt::format("{}: the last record is cut off and left out", where);
      break;
    }
    try {
      reader.take(record, each.line);
    } catch (const nlohmann::json::exception& error) {
      const std::string_view why = error.what();  // "[json.exception.out_of_range.403] key 'id' not found"
      throw BadUsage(fmt::format("{}: not a record of NCCL's Inspector: {}", where, why.substr(why.find(']') + 2)));
    }
  }
  return std::move(reader.log());
}

}  // namespace ringmark::analysis

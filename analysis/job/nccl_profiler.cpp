#include <fmt/format.h>

#include "analysis/job/readers.hpp"
#include "analysis/read/json_documents.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"

namespace ringmark::analysis::job {
namespace {

constexpr std::string_view collective_mark = R"("cat": "COLL", "ph": "b")";

/// Collectives begin and end in events of the same name, number and process.
class TraceReader {
 public:
  TraceReader(Evidence& evidence, std::size_t source) : evidence_(evidence), source_(source) {}

  void take(const nlohmann::json& event) {
    if (event.value("cat", "") != "COLL") return;
    const std::pair key(event.at("pid").get<std::int64_t>(), event.at("id").get<std::int64_t>());
    if (event.at("ph") == "e") {
      if (const auto open = open_.find(key); open != open_.end()) {
        evidence_.calls_of(source_, open->second.communicator, open->second.rank).calls[open->second.sequence].state =
            CallState::completed;
        open_.erase(open);
      }
      return;
    }
    const auto& arguments = event.at("args");
    const Open begun{evidence_.communicator(fmt::format("{:#x}", arguments.at("CommHash").get<std::uint64_t>()), "",
                                            /*has_job_ranks=*/false),
                     arguments.at("Rank").get<int>(), arguments.at("SeqNum").get<std::uint64_t>()};
    evidence_.calls_of(source_, begun.communicator, begun.rank)
        .calls.insert_or_assign(begun.sequence, Call{.sequence = begun.sequence,
                                                     .operation = operation_named(event.at("name").get<std::string>()),
                                                     .shape = fmt::format("{} {}", arguments.at("Count").dump(),
                                                                          arguments.at("Datatype").dump()),
                                                     .state = CallState::started});
    open_[key] = begun;
  }

 private:
  struct Open {
    std::size_t communicator = 0;
    int rank = 0;
    std::uint64_t sequence = 0;
  };

  Evidence& evidence_;
  std::size_t source_;
  std::map<std::pair<std::int64_t, std::int64_t>, Open> open_;
};

}  // namespace

bool is_nccl_profiler(std::string_view text) {
  return text.starts_with('[') && text.find(collective_mark) != std::string_view::npos;
}

void read_nccl_profiler(Evidence& evidence, const JobFile& file, std::string_view text) {
  evidence.sources.push_back({file.path, SourceKind::nccl_profiler, "", file.modified});
  TraceReader reader(evidence, evidence.sources.size() - 1);
  for (const auto& each : json_documents(text)) {
    const auto where = fmt::format("{}:{}", file.path, each.line);
    refuse_deep_nesting(where, each.text);
    const auto event = nlohmann::json::parse(each.text, nullptr, false);
    if (event.is_discarded()) {
      evidence.notes.push_back(fmt::format("{}: an event is cut off; the rest of the file is left out", where));
      return;
    }
    try {
      reader.take(event);
    } catch (const nlohmann::json::exception& error) {
      throw BadUsage(fmt::format("{}: not an event of NCCL's example profiler: {}", where, error.what()));
    }
  }
}

}  // namespace ringmark::analysis::job

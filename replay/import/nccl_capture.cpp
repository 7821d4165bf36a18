#include <sstream>

#include <fmt/format.h>

#include "replay/import/formats.hpp"
#include "replay/import/rank_recorders.hpp"

namespace ringmark::replay {
namespace {

/// Null for an empty line. A killed process leaves its reserved space as zeros.
nlohmann::json parsed(std::string& line) {
  line.erase(0, std::min(line.find_first_not_of('\0'), line.size()));
  return line.empty() ? nlohmann::json() : nlohmann::json::parse(line, nullptr, false);
}

}  // namespace

std::vector<std::pair<std::string, Imported>> import_capture(const std::string& text) {
  RankRecorders ranks;
  const std::string process = "process";
  // A communicator's members may be recorded after its first calls, whose sizes depend on them.
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.find(R"("ranks":)") == std::string::npos) continue;
    const auto json = parsed(line);
    if (!json.is_object() || json.contains("f")) continue;
    ranks.communicator(process, {std::to_string(json.at("comm").get<int>()),
                                 json.value("id", ""),
                                 json.at("rank").get<int>(),
                                 json.at("ranks").get<int>(),
                                 {},
                                 ""});
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto json = parsed(line);
    if (json.is_null()) continue;
    if (!json.is_object()) {
      ranks.of(process).skip("truncated line");
    } else if (json.contains("f") && json.contains("error")) {
      ranks.of(process).skip("call that NCCL refused");
    } else if (json.contains("f")) {
      const auto communicator = std::to_string(json.at("comm").get<int>());
      ranks.of(process, communicator)
          .call({json.at("f").get<std::string>(), json.at("n").get<std::uint64_t>(), json.at("dt").get<int>(),
                 json.at("op").get<int>(), json.at("root").get<int>(), communicator, json.value("t", 0.0),
                 json.value("us", 0.0)});
    } else if (const auto group = json.value("group", ""); !group.empty()) {
      if (group == "start") ranks.group_begins(process);
      if (group == "end" && json.contains("error")) {
        ranks.group_was_not_made(process, "group that NCCL refused");
      } else if (group == "end") {
        ranks.group_ends(process);
      }
      if (group == "simulated") ranks.group_was_not_made(process, "simulated group");
    }
  }
  ranks.of(process);  // even if nothing was recorded
  return ranks.finish("captured NCCL calls");
}

}  // namespace ringmark::replay

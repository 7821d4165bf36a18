#include "bench/harness/algorithms_file.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/append_file.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark {
namespace {

constexpr auto schema = "algorithms/1";

/// Throws nlohmann's exceptions and std::bad_optional_access for a line that is not a choice.
void read_line(const nlohmann::json& json, Transport transport, ChosenAlgorithms& choices) {
  if (json.at("schema") != schema || parse_transport(json.at("transport").get<std::string>()).value() != transport)
    return;
  const auto collective = parse_collective(json.at("collective").get<std::string>()).value();
  const auto names = algorithms_for(collective);
  const auto name = std::find(names.begin(), names.end(), json.at("algorithm").get<std::string>());
  if (name == names.end()) throw std::bad_optional_access();
  choices[{collective, json.at("ranks"), json.at("nodes"), json.at("size_bytes")}] = *name;
}

/// True for the beginning of a choice, as a killed writer leaves it. The next writer removes it.
bool is_begun_choice(std::string_view rest) {
  constexpr std::string_view begin = R"({"algorithm":")";
  const auto common = std::min(rest.size(), begin.size());
  return rest.substr(0, common) == begin.substr(0, common) && !nlohmann::json::accept(rest);
}

}  // namespace

std::string read_algorithms_file(const std::string& path) {
  if (std::filesystem::exists(path)) return whole_file(path, "--algorithm auto:" + path);
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw BadUsage(fmt::format("--algorithm auto:{}: the folder {} does not exist", path, folder.string()));
  return "";
}

ChosenAlgorithms chosen_algorithms(const std::string& path, std::string_view text, Transport transport) {
  ChosenAlgorithms choices;
  const auto rest = text.substr(whole_lines(text).size());
  int number = 1;
  for (text = whole_lines(text); !text.empty(); text.remove_prefix(text.find('\n') + 1), ++number) {
    try {
      read_line(nlohmann::json::parse(text.substr(0, text.find('\n'))), transport, choices);
    } catch (const std::exception&) {
      throw BadUsage(fmt::format("{} line {}: not a choice of --algorithm auto; remove the line, or name a new file",
                                 path, number));
    }
  }
  if (!rest.empty() && !is_begun_choice(rest))
    throw BadUsage(
        fmt::format("{} line {}: the line end is missing, and the line is not a truncated choice of --algorithm auto; "
                    "if it is a complete choice, add the line end; otherwise remove the line, or name a new file",
                    path, number));
  return choices;
}

void check_algorithms_file(const RunOptions& options) {
  const auto& path = options.algorithms_path;
  if (!path.empty()) chosen_algorithms(path, read_algorithms_file(path), options.transport);
}

void append_to_algorithms_file(const std::string& path, Transport transport, const ChoiceKey& key,
                               std::string_view algorithm) {
  const nlohmann::json line{
      {"schema", schema},      {"transport", name(transport)}, {"collective", name(key.collective)},
      {"ranks", key.ranks},    {"nodes", key.nodes},           {"size_bytes", key.size_bytes},
      {"algorithm", algorithm}};
  AppendFile file(path);
  file.begin("");
  file.append(line.dump() + "\n");
}

}  // namespace ringmark

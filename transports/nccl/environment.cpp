#include "transports/nccl/environment.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "transports/nccl/parameters.hpp"
#include "transports/nccl/version.hpp"

namespace ringmark {

std::map<std::string, std::string> chosen_nccl_environment() {
  constexpr std::array others{"NCCL_DEBUG",
                              "NCCL_DEBUG_SUBSYS",
                              "NCCL_DEBUG_FILE",
                              "NCCL_DEBUG_TIMESTAMP_FORMAT",
                              "NCCL_DEBUG_TIMESTAMP_LEVELS",
                              "NCCL_HOSTID",
                              "NCCL_COMM_ID"};
  auto chosen = nccl_environment();
  for (const char* name : others) chosen.erase(name);
  return chosen;
}

std::map<std::string, std::string> nccl_environment() {
  std::map<std::string, std::string> result;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const auto equals = text.find('=');
    if (text.starts_with("NCCL_") && equals != std::string_view::npos)
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::vector<Problem> contradictions(const std::map<std::string, std::string>& environment) {
  std::vector<Problem> problems;
  const auto number = [&](const char* name) -> std::optional<long long> {
    const auto found = environment.find(name);
    const bool is_legal = found != environment.end() && !problem_of_parameter(name, found->second);
    return is_legal ? parameter_number(found->second) : std::nullopt;
  };
  const auto threads = number("NCCL_SOCKET_NTHREADS"), sockets = number("NCCL_NSOCKS_PERTHREAD");
  if (sockets && threads && *threads == 0)
    problems.push_back({"NCCL_NSOCKS_PERTHREAD", std::to_string(*sockets),
                        "has no effect with NCCL_SOCKET_NTHREADS=0, which means no helper threads"});
  if (threads && sockets && *threads * *sockets > 64)
    problems.push_back({"NCCL_NSOCKS_PERTHREAD", std::to_string(*sockets),
                        fmt::format("makes more than 64 sockets with NCCL_SOCKET_NTHREADS={}; NCCL would use {} per "
                                    "thread",
                                    *threads, 64 / *threads)});
  for (const auto& [least, most] :
       {std::pair{"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"}, std::pair{"NCCL_MIN_CTAS", "NCCL_MAX_CTAS"},
        std::pair{"NCCL_MIN_NCHANNELS", "NCCL_MAX_CTAS"}, std::pair{"NCCL_MIN_CTAS", "NCCL_MAX_NCHANNELS"}}) {
    const auto low = number(least), high = number(most);
    if (low && high && *low > *high)
      problems.push_back({least, std::to_string(*low), fmt::format("is above {}={}", most, *high)});
  }
  return problems;
}

namespace {

/// Why this version of NCCL would ignore a variable; empty if NCCL knows it, or if the version is 0 (unknown).
std::string why_unknown_to(int nccl_version, const std::string& name) {
  if (nccl_version == 0) return "";
  const auto text = nccl_version_text(nccl_version);
  const auto history = nccl_name_history(name);
  const auto* parameter = find_nccl_parameter(name);
  const auto since = parameter == nullptr ? 0 : nccl_version_number(parameter->since);
  if (nccl_version < since || nccl_version <= history.last_without)
    return fmt::format("exists only since NCCL {}; this is {}, which would ignore it",
                       since > 0 ? std::string(parameter->since) : nccl_version_text(history.since), text);
  if (history.gone > 0 && nccl_version >= history.gone)
    return fmt::format("was removed in NCCL {}; this is {}, which would ignore it", nccl_version_text(history.gone),
                       text);
  if (nccl_version <= newest_known_nccl && parameter == nullptr && !is_known_to_nccl(name))
    return fmt::format("NCCL {} has no such variable and would ignore it; --list-parameters lists those worth a sweep",
                       text);
  return "";
}

}  // namespace

std::vector<Problem> wrong_parameters(const std::map<std::string, std::string>& environment, int nccl_version) {
  std::vector<Problem> problems;
  for (const auto& [name, value] : environment) {
    if (auto problem = problem_of_parameter(name, value)) {
      problems.push_back(*std::move(problem));
    } else if (auto reason = why_unknown_to(nccl_version, name); !reason.empty()) {
      problems.push_back({.flag = name, .value = value, .text = std::move(reason)});
    }
  }
  for (auto& problem : contradictions(environment)) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace ringmark

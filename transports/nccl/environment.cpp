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
    const bool is_legal = found != environment.end() && why_wrong_parameter(name, found->second).empty();
    return is_legal ? parameter_number(found->second) : std::nullopt;
  };
  const auto threads = number("NCCL_SOCKET_NTHREADS"), sockets = number("NCCL_NSOCKS_PERTHREAD");
  if (sockets && threads && *threads == 0)
    problems.push_back({"NCCL_NSOCKS_PERTHREAD", std::to_string(*sockets),
                        "has no effect with NCCL_SOCKET_NTHREADS=0, no helper thread"});
  if (threads && sockets && *threads * *sockets > 64)
    problems.push_back({"NCCL_NSOCKS_PERTHREAD", std::to_string(*sockets),
                        fmt::format("with NCCL_SOCKET_NTHREADS={} there are more than 64 sockets; NCCL would take {} "
                                    "per thread",
                                    *threads, 64 / *threads)});
  for (const auto& [least, most] :
       {std::pair{"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"}, std::pair{"NCCL_MIN_CTAS", "NCCL_MAX_CTAS"},
        std::pair{"NCCL_MIN_NCHANNELS", "NCCL_MAX_CTAS"}, std::pair{"NCCL_MIN_CTAS", "NCCL_MAX_NCHANNELS"}}) {
    const auto low = number(least), high = number(most);
    if (low && high && *low > *high)
      problems.push_back({least, std::to_string(*low), fmt::format("above {}={}", most, *high)});
  }
  return problems;
}

std::vector<std::string> wrong_parameters(const std::map<std::string, std::string>& environment, int nccl_version) {
  constexpr int newest_known = 22899;
  std::vector<std::string> lines;
  for (const auto& [name, value] : environment) {
    auto reason = why_wrong_parameter(name, value);
    const auto* known = find_nccl_parameter(name);
    if (reason.empty() && known != nullptr && nccl_version > 0 && nccl_version < nccl_version_number(known->since))
      reason = fmt::format("{}={}: is there since NCCL {}, and this is {}, which would ignore it", name, value,
                           known->since, nccl_version_text(nccl_version));
    if (reason.empty() && nccl_version > 0 && nccl_version <= newest_known && known == nullptr &&
        !is_known_to_nccl(name))
      reason = fmt::format(
          "{}={}: NCCL {} has no such variable, and would ignore it; --list-parameters shows those worth a "
          "sweep",
          name, value, nccl_version_text(nccl_version));
    if (!reason.empty()) lines.push_back(std::move(reason));
  }
  for (const auto& problem : contradictions(environment)) lines.push_back(to_text(problem));
  return lines;
}

}  // namespace ringmark

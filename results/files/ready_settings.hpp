// Winning settings, as files that are ready to use.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// How a setting is passed to a program, which its name determines.
enum class SettingKind {
  flag,         ///< --sizes=1M
  option,       ///< --set=tcp.sockets=4
  environment,  ///< NCCL_ALGO=Ring
};
SettingKind setting_kind(std::string_view name);

/// "--sizes=1M", "--set=tcp.sockets=4": one word each, so that a value may begin with a dash. Not for environment
/// variables.
std::string argument_of(std::string_view name, std::string_view value);

struct ReadySettings {
  std::string evidence;                                           ///< why these settings, as lines of text
  std::map<std::string, std::optional<std::string>> environment;  ///< empty values are to be unset
  std::vector<std::string> arguments;                             ///< of the measuring program

  bool are_none() const { return environment.empty() && arguments.empty(); }
};

/// Lines for a shell to source: environment variables, and RINGMARK_ARGUMENTS with the arguments, each quoted as a
/// shell word where necessary; the evidence as comments.
std::string best_env(const ReadySettings& settings);

/// Lines for /etc/nccl.conf or ~/.nccl.conf; empty if no NCCL variable is set. NCCL takes everything after `=`
/// literally, so nothing is quoted.
std::string nccl_conf(const ReadySettings& settings);

}  // namespace ringmark

// Settings that won, as files that can be used as they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// How a setting is given to a program, which its name tells.
enum class SettingKind {
  flag,         ///< --sizes=1M
  option,       ///< --set=tcp.sockets=4
  environment,  ///< NCCL_ALGO=Ring
};
SettingKind setting_kind(std::string_view name);

/// "--sizes=1M", "--set=tcp.sockets=4": one word each, so that a value may begin with a dash. Not for the environment.
std::string argument_of(std::string_view name, std::string_view value);

struct ReadySettings {
  std::string evidence;                                           ///< why these, in lines
  std::map<std::string, std::optional<std::string>> environment;  ///< nothing: to be unset
  std::vector<std::string> arguments;                             ///< of the program that measured

  bool are_none() const { return environment.empty() && arguments.empty(); }
};

/// Lines for a shell to source: environment variables, and RINGMARK_ARGUMENTS with the arguments, each as a word in a
/// shell's quotes where it needs them; the evidence as comments.
std::string best_env(const ReadySettings& settings);

/// Lines for /etc/nccl.conf or ~/.nccl.conf; empty if no variable of NCCL is set. NCCL takes everything after `=`
/// literally, so there are no quotes.
std::string nccl_conf(const ReadySettings& settings);

}  // namespace ringmark

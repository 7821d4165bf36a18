#include "lab/remote_shell.hpp"

#include <string_view>

#include "lab/errors.hpp"
#include "lab/inside.hpp"

namespace ringmark::lab {
namespace {

constexpr std::string_view options_with_value = "BbcDEeFIiJLlmOopQRSWw";

/// True for "-xp", where the next argument is the value of p; false for "-p22".
bool takes_next_argument(std::string_view option) {
  for (std::size_t i = 1; i < option.size(); ++i)
    if (options_with_value.find(option[i]) != std::string_view::npos) return i + 1 == option.size();
  return false;
}

}  // namespace

RemoteCommand parse_remote_command(const std::vector<std::string>& arguments) {
  auto next = arguments.begin();
  while (next != arguments.end() && next->size() > 1 && next->front() == '-') {
    const bool skip = takes_next_argument(*next);
    if (*next++ == "--") break;
    if (skip && next != arguments.end()) ++next;
  }
  if (next == arguments.end()) throw BadUsage("the host is missing");
  RemoteCommand remote{next->substr(next->rfind('@') + 1), {}};
  for (++next; next != arguments.end(); ++next) remote.command += (remote.command.empty() ? "" : " ") + *next;
  if (remote.command.empty()) throw BadUsage("the command is missing");
  return remote;
}

void run_remote_command(const std::vector<std::string>& arguments) {
  const RemoteCommand remote = parse_remote_command(arguments);
  exec_on_host(remote.host, {"/bin/sh", "-c", remote.command});
}

}  // namespace ringmark::lab

// Stands in for ssh where a launcher wants to start something on a host of the lab.
#pragma once

#include <string>
#include <vector>

namespace ringmark::lab {

/// The program does this job when it is started under this name.
inline constexpr const char* remote_shell_name = "ringmark-lab-ssh";

struct RemoteCommand {
  std::string host;     // without "user@"
  std::string command;  // for a shell, as ssh joins it
};

/// [OPTION...] [USER@]HOST COMMAND..., with ssh's options, all of which are dropped. Throws UsageError.
RemoteCommand parse_remote_command(const std::vector<std::string>& arguments);

/// Becomes the command on that host. Unlike with ssh it keeps the caller's environment and directory.
[[noreturn]] void run_remote_command(const std::vector<std::string>& arguments);

}  // namespace ringmark::lab

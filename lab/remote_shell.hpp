// Replaces ssh when a launcher starts a command on a host of the lab.
#pragma once

#include <string>
#include <vector>

namespace ringmark::lab {

/// The program acts as ssh when started under this name.
inline constexpr const char* remote_shell_name = "ringmark-lab-ssh";

struct RemoteCommand {
  std::string host;     // without "user@"
  std::string command;  // for a shell: the words joined as ssh does
};

/// Parses [OPTION...] [USER@]HOST COMMAND...; ssh's options are ignored. Throws BadUsage.
RemoteCommand parse_remote_command(const std::vector<std::string>& arguments);

/// Replaces this process with the command on that host. Unlike ssh, it keeps the caller's environment and directory.
[[noreturn]] void run_remote_command(const std::vector<std::string>& arguments);

}  // namespace ringmark::lab

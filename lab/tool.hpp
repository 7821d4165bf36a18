// Finds programs, and runs ip, tc and nft inside another network namespace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace ringmark::lab {

/// The path where exec would find the program in PATH. A name with a slash is a path.
std::optional<std::string> find_program(const std::string& name);

/// The path of ip, tc or nft, which may not be in a user's PATH. Throws Unusable with the package's name.
std::string find_network_tool(const std::string& name);

struct ToolResult {
  bool succeeded;
  std::string output;  // stdout and stderr together
};

/// Runs a program in the network namespace of another process, with `input` as its standard input, and waits for it.
ToolResult run_tool(const std::string& path, const std::vector<std::string>& arguments, std::string_view input,
                    pid_t network_of);

/// Converts waitpid's status to a shell's exit status.
int shell_status(int wait_status);

}  // namespace ringmark::lab

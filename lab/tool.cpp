#include "lab/tool.hpp"

#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/child.hpp"
#include "base/system/file_descriptor.hpp"
#include "lab/errors.hpp"

namespace ringmark::lab {
namespace {

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_in(std::string_view directories, const std::string& name) {
  std::istringstream list{std::string(directories)};
  for (std::string directory; std::getline(list, directory, ':');) {
    std::string path = fmt::format("{}/{}", directory.empty() ? "." : directory, name);
    if (is_program(path)) return path;
  }
  return std::nullopt;
}

// A file in memory instead of a pipe, so that neither side ever waits for the other.
FileDescriptor memory_file(std::string_view content) {
  FileDescriptor file(check_sys(::memfd_create("ringmark-lab", MFD_CLOEXEC), "create a file in memory"));
  while (!content.empty()) {
    const auto written = check_sys(::write(file.get(), content.data(), content.size()), "write to a file in memory");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  check_sys(::lseek(file.get(), 0, SEEK_SET), "rewind a file in memory");
  return file;
}

std::string whole_content(const FileDescriptor& file) {
  std::string content(static_cast<std::size_t>(check_sys(::lseek(file.get(), 0, SEEK_END), "measure output")), '\0');
  const auto length = check_sys(::pread(file.get(), content.data(), content.size(), 0), "read output");
  content.resize(static_cast<std::size_t>(length));
  return content;
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  return name.empty() ? std::nullopt : find_in(path != nullptr ? path : "/bin:/usr/bin", name);
}

std::string find_network_tool(const std::string& name) {
  auto path = find_program(name);
  if (!path) path = find_in("/usr/sbin:/sbin:/usr/bin:/bin", name);
  if (!path)
    throw Unusable(
        name == "nft"
            ? "nft, which the lab needs to drop packets, is missing; install nftables (apt-get install nftables)"
            : fmt::format("{} is missing; install iproute2 (apt-get install iproute2, dnf install "
                          "iproute{})",
                          name, name == "tc" ? "-tc" : ""));
  return *path;
}

int shell_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? exit_signal_offset + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

ToolResult run_tool(const std::string& path, const std::vector<std::string>& arguments, std::string_view input,
                    pid_t network_of) {
  const FileDescriptor standard_input = memory_file(input);
  const FileDescriptor output = memory_file({});
  const std::string network_path = fmt::format("/proc/{}/ns/net", network_of);
  const FileDescriptor network(check_sys(::open(network_path.c_str(), O_RDONLY | O_CLOEXEC), "open {}", network_path));
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto pointers = exec_arguments(words);

  const pid_t child = start_child("start " + path, 0, [&] {
    if (::setns(network.get(), CLONE_NEWNET) == 0 && ::dup2(standard_input.get(), STDIN_FILENO) >= 0 &&
        ::dup2(output.get(), STDOUT_FILENO) >= 0 && ::dup2(output.get(), STDERR_FILENO) >= 0)
      ::execv(path.c_str(), pointers.data());
    return exit_cannot_start;
  });
  int status = 0;
  check_sys(retry_interrupted([&] { return ::waitpid(child, &status, 0); }), "wait for {}", path);
  std::string said = whole_content(output);
  if (said.empty() && status != 0) said = fmt::format("exit status {}", shell_status(status));
  return {status == 0, said};
}

}  // namespace ringmark::lab

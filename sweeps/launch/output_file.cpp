#include "sweeps/launch/output_file.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/signal_queue.hpp"
#include "sweeps/launch/process_group.hpp"

namespace ringmark::sweep {

OutputFile::OutputFile() {
  const char* folder = std::getenv("TMPDIR");
  auto name = fmt::format("{}/ringmark-output-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
  file_ = FileDescriptor(check_sys(::mkostemp(name.data(), O_CLOEXEC), "make a file like {}", name));
  ::unlink(name.c_str());
  path_ = fmt::format("/proc/self/fd/{}", file_.get());
}

std::string OutputFile::end() const {
  constexpr off_t most_bytes = 256 << 10;
  struct stat status {};
  check_sys(::fstat(file_.get(), &status), "look at the output");
  std::string text(static_cast<std::size_t>(std::min(status.st_size, most_bytes)), '\0');
  const auto length = retry_interrupted(
      [&] { return ::pread(file_.get(), text.data(), text.size(), status.st_size - static_cast<off_t>(text.size())); });
  text.resize(static_cast<std::size_t>(check_sys(length, "read the output")));
  return text;
}

ToolOutput ask_tool(const std::vector<std::string>& words) {
  constexpr auto time_for_tool = std::chrono::seconds(20);
  const OutputFile output;
  const SignalQueue signals;
  // Ending a tool ends every process with its mark, so tools of other sweeps must have other marks.
  const auto mark = fmt::format("tool-{}/", ::getpid());
  const auto ending = run_command({words, {}}, {time_for_tool, std::chrono::seconds(1), output.path(), mark}, signals);
  signals.restore_mask();
  if (ending.interrupted_by) ::raise(*ending.interrupted_by);
  ToolOutput result{ending.raw_status == 0 && !ending.past_deadline, output.end()};
  while (result.text.ends_with('\n') || result.text.ends_with('\r')) result.text.pop_back();
  return result;
}

}  // namespace ringmark::sweep

#include "sweeps/output_file.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/system/files.hpp"
#include "base/system/signal_queue.hpp"
#include "sweeps/process_group.hpp"

namespace ringmark::sweep {

OutputFile::OutputFile() {
  const char* folder = std::getenv("TMPDIR");
  path_ = fmt::format("{}/ringmark-output-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
  const FileDescriptor file(check_sys(::mkstemp(path_.data()), "make a file like {}", path_));
}

OutputFile::~OutputFile() { ::unlink(path_.c_str()); }

std::string OutputFile::end() const {
  constexpr std::size_t most_bytes = 256 << 10;
  auto text = read_if_readable(path_);
  return text.size() <= most_bytes ? text : text.substr(text.size() - most_bytes);
}

ToolOutput ask_tool(const std::vector<std::string>& words) {
  constexpr auto time_for_tool = std::chrono::seconds(20);
  const OutputFile output;
  const SignalQueue signals;
  // The end of a tool ends whatever has its mark, which tools of other sweeps must not have.
  const auto mark = fmt::format("tool-{}/", ::getpid());
  const auto ending = run_command({words, {}}, {time_for_tool, std::chrono::seconds(1), output.path(), mark}, signals);
  signals.restore_mask();
  if (ending.interrupted_by) ::raise(*ending.interrupted_by);
  ToolOutput result{ending.raw_status == 0 && !ending.past_deadline, output.end()};
  while (result.text.ends_with('\n') || result.text.ends_with('\r')) result.text.pop_back();
  return result;
}

}  // namespace ringmark::sweep

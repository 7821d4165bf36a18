#include "transports/nccl/nccl_log.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "transports/nccl/log_lines.hpp"

namespace ringmark {

namespace {

/// NCCL_DEBUG is not case-sensitive.
std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

NcclLog::NcclLog(const NcclApi& api) : api_(api), file_(::memfd_create("nccl-log", MFD_CLOEXEC)) {
  check_sys(file_.get(), "memfd_create for NCCL's log");
  if (const char* asked = std::getenv("NCCL_DEBUG")) asked_ = upper(asked);
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_SUBSYS", api.reset_debug != nullptr ? "INIT,ENV,NET,TUNING" : "INIT,ENV,NET", 1);
  ::setenv("NCCL_DEBUG_FILE", fmt::format("/proc/self/fd/{}", file_.get()).c_str(), 1);
}

void NcclLog::listen(bool on) {
  if (api_.reset_debug == nullptr) return;
  pending_ += take();
  check_sys(::ftruncate(file_.get(), 0), "ftruncate of NCCL's log");
  read_bytes_ = 0;  // NCCL reopens the file at its beginning
  ::setenv("NCCL_DEBUG", on ? "INFO" : "WARN", 1);
  api_.reset_debug();
}

std::string NcclLog::take() {
  struct stat state {};
  check_sys(::fstat(file_.get(), &state), "fstat of NCCL's log");
  const auto size = static_cast<std::size_t>(state.st_size);
  if (size < read_bytes_) read_bytes_ = 0;  // NCCL reopened the file after one of its threads had still written to it
  std::string text(size - read_bytes_, '\0');
  const auto got = ::pread(file_.get(), text.data(), text.size(), static_cast<off_t>(read_bytes_));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  read_bytes_ += text.size();
  for (std::size_t at = 0; !asked_.empty() && at < text.size();) {
    const auto end = text.find('\n', at);
    const auto line = std::string_view(text).substr(at, end - at);
    if (shows(line)) fmt::print(stderr, "{}\n", line);
    at = end + 1;
  }
  return std::exchange(pending_, "") + text;
}

bool NcclLog::shows(std::string_view line) const {
  if (asked_ == "INFO" || asked_ == "TRACE") return true;
  const auto split = split_nccl_line(line);
  return split && split->level == "WARN";
}

}  // namespace ringmark

#include "tests/nvidia/fake_nccl_log.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace ringmark::fake {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

NcclLog& nccl_log() {
  static NcclLog log;
  return log;
}

void NcclLog::reset() {
  const std::lock_guard lock(mutex_);
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  level_.reset();
}

void NcclLog::info(const char* subsystem, const std::string& text) {
  const std::lock_guard lock(mutex_);
  start();
  if (*level_ == "INFO" && (subsystems_.empty() || subsystems_.find(subsystem) != std::string::npos))
    write(" [0] NCCL INFO " + text);
}

void NcclLog::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  last_warning_ = text;
  start();
  if (!level_->empty()) write(" [0] fake.cc:1 NCCL WARN " + text);
}

void NcclLog::start() {
  if (level_) return;
  level_ = setting("NCCL_DEBUG");
  subsystems_ = setting("NCCL_DEBUG_SUBSYS");
  const auto path = setting("NCCL_DEBUG_FILE");
  file_ = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
}

void NcclLog::write(const std::string& text) {
  auto* to = file_ == nullptr ? stdout : file_;
  const auto line = fmt::format("fakehost:{}:{}{}\n", ::getpid(), ::getpid(), text);
  std::fwrite(line.data(), 1, line.size(), to);
  std::fflush(to);
}

}  // namespace ringmark::fake

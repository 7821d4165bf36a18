// The log of the stand-in for NCCL, written as NCCL 2.28 writes it.
#pragma once

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

namespace ringmark::fake {

/// A variable of the environment, or nothing.
std::string setting(const char* name);

/// NCCL_DEBUG and its company are read once, until it is told to read them again.
class NcclLog {
 public:
  void reset();
  void info(const char* subsystem, const std::string& text);
  void warn(const std::string& text);
  const std::string& last_warning() const { return last_warning_; }

 private:
  void start();
  void write(const std::string& text);

  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::optional<std::string> level_;
  std::string subsystems_, last_warning_;
};
NcclLog& nccl_log();

}  // namespace ringmark::fake

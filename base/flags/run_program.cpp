#include "base/flags/run_program.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/error_text.hpp"

namespace ringmark {

void flush_output() {
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (is_flushed && std::ferror(stdout) == 0) return;
  // If an earlier write failed, its errno is no longer known.
  throw std::runtime_error(fmt::format("output was lost; cannot write to standard output: {}",
                                       error == 0 ? "is the disk full?" : std::strerror(error)));
}

int run_program(std::string_view name, const std::function<int()>& program) {
  const auto complain = [&](const std::exception& error, int status) {
    static_cast<void>(std::fflush(stdout));
    fmt::print(stderr, "{}: {}\n", name, text_of(error));
    return status;
  };
  // Writing beyond ulimit -f then fails with an error that names the file, instead of killing the process.
  std::signal(SIGXFSZ, SIG_IGN);
  int status = exit_ok;
  try {
    status = program();
  } catch (const BadUsage& error) {
    status = complain(error, exit_usage);
  } catch (const Unusable& error) {
    status = complain(error, exit_unusable);
  } catch (const std::exception& error) {
    status = exit_failed;
    // Lost output is reported below.
    if (std::ferror(stdout) == 0) complain(error, exit_failed);
  }
  try {
    flush_output();
  } catch (const std::exception& error) {
    return complain(error, exit_failed);
  }
  return status;
}

}  // namespace ringmark

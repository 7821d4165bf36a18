// Turns failing system calls into one exception type that says what was attempted and why it failed.
#pragma once

#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace ringmark {

/// Throws std::system_error with errno's text and the given description, e.g. "connect to 10.77.0.2 port 5000".
[[noreturn]] inline void throw_errno(std::string_view what, int error = errno) {
  throw std::system_error(error, std::generic_category(), std::string(what));
}

/// Returns the `result` of a system call, or throws if it is -1. The arguments are formatted only on failure:
///   check_sys(::connect(fd, …), "connect to {}", address)
template <class Result, class... Args>
Result check_sys(Result result, fmt::format_string<Args...> what, Args&&... args) {
  if (result == static_cast<Result>(-1)) {
    const int error = errno;
    throw_errno(fmt::format(what, std::forward<Args>(args)...), error);
  }
  return result;
}

/// After a failed non-blocking call: whether it may succeed later.
inline bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/// Repeats the call while signals interrupt it.
template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace ringmark

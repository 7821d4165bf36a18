#include "base/system/child.hpp"

#include <cstdlib>
#include <exception>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/exit_status.hpp"
#include "base/system/check.hpp"
#include "base/text/error_text.hpp"

namespace ringmark {

pid_t start_child(const std::string& task, int parents_end, const std::function<int()>& body) {
  const pid_t parent = ::getpid();
  const pid_t child = check_sys(::fork(), "{}", task);
  if (child != 0) return child;
  if (parents_end != 0) {
    ::prctl(PR_SET_PDEATHSIG, parents_end);
    if (::getppid() != parent) std::_Exit(exit_failed);  // the parent exited before it could be watched
  }
  int status = exit_failed;
  try {
    status = body();
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringmark: {}: {}\n", task, text_of(error));
  }
  std::_Exit(status);
}

std::vector<char*> exec_arguments(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace ringmark

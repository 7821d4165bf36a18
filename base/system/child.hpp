// Child processes of this program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ringmark {

/// Runs `body` in a new process, which exits with the returned status without running this process's destructors and
/// handlers; an exception is printed and becomes exit_failed. If `parents_end` is a signal, the child gets it when this
/// thread ends. Throws std::system_error about `task` if no process can be created.
pid_t start_child(const std::string& task, int parents_end, const std::function<int()>& body);

/// Pointers into `words`, for execv.
std::vector<char*> exec_arguments(const std::vector<std::string>& words);

}  // namespace ringmark

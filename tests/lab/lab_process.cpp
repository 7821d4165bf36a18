#include "tests/lab/lab_process.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"

namespace ringmark::lab {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int number = 0;

}  // namespace

std::string lab_binary() {
  if (const char* path = std::getenv("RINGMARK_LAB")) return path;
#ifdef RINGMARK_BIN_DIR
  return RINGMARK_BIN_DIR "/ringmark-lab";
#else
  return "ringmark-lab";
#endif
}

LabProcess::LabProcess(const std::vector<std::string>& arguments, const LabStart& start)
    : mark_(fmt::format("RINGMARK_LAB_TEST={}-{}", ::getpid(), ++number)) {
  int ends[2];
  check_sys(::pipe2(ends, O_CLOEXEC), "make a pipe");
  errors_ = check_sys(::memfd_create("errors", MFD_CLOEXEC), "make a file in memory");
  const std::string binary = lab_binary();
  std::vector<const char*> words;
  for (const std::string& word : start.within) words.push_back(word.c_str());
  words.push_back(binary.c_str());
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  pid_ = check_sys(::fork(), "start {}", binary);
  if (pid_ == 0) {
    ::setpgid(0, 0);
    // A shell in the background ignores these for its children.
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(errors_, STDERR_FILENO);
    ::putenv(mark_.data());
    if (const uid_t user = start.user;
        user != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(user) != 0 || ::setuid(user) != 0))
      std::_Exit(126);
    ::execvp(words.front(), const_cast<char* const*>(words.data()));
    std::_Exit(127);
  }
  ::setpgid(pid_, pid_);
  ::close(ends[1]);
  output_ = ends[0];
}

LabProcess::~LabProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    retry_interrupted([&] { return ::waitpid(pid_, nullptr, 0); });
  }
  ::close(output_);
  ::close(errors_);
}

bool LabProcess::wait_for_line(const std::string& line) {
  char buffer[4096];
  while (("\n" + seen_).find("\n" + line + "\n") == std::string::npos) {
    const auto length = retry_interrupted([&] { return ::read(output_, buffer, sizeof buffer); });
    if (length <= 0) return false;
    seen_.append(buffer, static_cast<std::size_t>(length));
  }
  return true;
}

Finished LabProcess::wait() {
  char buffer[4096];
  for (ssize_t length; (length = retry_interrupted([&] { return ::read(output_, buffer, sizeof buffer); })) > 0;)
    seen_.append(buffer, static_cast<std::size_t>(length));
  int status = 0;
  check_sys(retry_interrupted([&] { return ::waitpid(pid_, &status, 0); }), "wait for ringmark-lab");
  pid_ = -1;
  const std::string errors = whole_file(fmt::format("/proc/self/fd/{}", errors_));
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), seen_, errors};
}

std::vector<pid_t> LabProcess::marked() const {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string environment = std::string(1, '\0') + whole_file(entry.path() / "environ");
    if (environment.find(std::string(1, '\0') + mark_ + std::string(1, '\0')) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

bool LabProcess::all_gone() const {
  for (int i = 0; i < 1000; ++i) {
    if (marked().empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

Finished run_lab(const std::vector<std::string>& arguments, const LabStart& start) {
  return LabProcess(arguments, start).wait();
}

}  // namespace ringmark::lab

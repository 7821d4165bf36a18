#include "lab/holder.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/child.hpp"
#include "base/system/file_descriptor.hpp"
#include "lab/errors.hpp"
#include "lab/isolation.hpp"

namespace ringmark::lab {
namespace {

struct NamespaceKind {
  const char* file;  // in /proc/PID/ns
  int flag;
};

constexpr std::array host_namespaces{NamespaceKind{"net", CLONE_NEWNET}, NamespaceKind{"uts", CLONE_NEWUTS},
                                     NamespaceKind{"ipc", CLONE_NEWIPC}, NamespaceKind{"mnt", CLONE_NEWNS}};

/// A sysfs shows the devices of the network namespace in which it was mounted.
void mount_own_sysfs() {
  constexpr const char* control_groups = "/sys/fs/cgroup";  // mounted below the sysfs that is covered
  const FileDescriptor groups(::open(control_groups, O_PATH | O_CLOEXEC));
  check_sys(::mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "mount a host's /sys");
  if (!groups) return;
  // Processes must still find their memory limit. Some machines have no control groups, so ignore failure.
  const std::string old = fmt::format("/proc/self/fd/{}", groups.get());
  (void)::mount(old.c_str(), control_groups, nullptr, MS_BIND | MS_REC, nullptr);
}

void make_host(const std::string& name) {
  int flags = 0;
  for (const NamespaceKind& kind : host_namespaces) flags |= kind.flag;
  check_sys(::unshare(flags), "make the namespaces of {}", name);
  check_sys(::sethostname(name.data(), name.size()), "name {}", name);
  mount_own_sysfs();
}

[[noreturn]] void hold(const std::string& name, const std::function<void()>& make, const FileDescriptor& answer) {
  std::string complaint;
  try {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::prctl(PR_SET_NAME, name.c_str());
    make();
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  // One byte, then the error text: an empty answer means that the holder died.
  complaint.insert(complaint.begin(), complaint.empty() ? '+' : '-');
  if (::write(answer.get(), complaint.data(), complaint.size()) < 0 || complaint.front() == '-') std::_Exit(1);
  ::close(answer.get());
  for (;;) ::pause();
}

pid_t start_holder(const std::string& name, const std::function<void()>& make) {
  int ends[2];
  check_sys(::pipe2(ends, O_CLOEXEC), "make a pipe");
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t holder = start_child("start the holder of " + name, 0, [&]() -> int { hold(name, make, writing); });
  writing.reset();
  char answer[512];
  const auto length = retry_interrupted([&] { return ::read(reading.get(), answer, sizeof answer); });
  if (length == 1 && answer[0] == '+') return holder;
  if (length <= 1) throw Unusable(fmt::format("the process that holds the namespaces of {} died", name));
  throw Unusable(fmt::format("cannot {}; {}", std::string_view(answer + 1, static_cast<std::size_t>(length - 1)),
                             namespace_remedy()));
}

}  // namespace

pid_t start_switch_holder(const std::string& name, bool routes) {
  return start_holder(name, [&] {
    check_sys(::unshare(CLONE_NEWNET), "make the network namespace of {}", name);
    if (!routes) return;
    constexpr const char* settings = "/proc/sys/net/ipv4/";
    write_file(fmt::format("{}ip_forward", settings), "1");
    write_file(fmt::format("{}fib_multipath_hash_policy", settings), "1");
    for (const char* which : {"all", "default"}) write_file(fmt::format("{}conf/{}/rp_filter", settings, which), "0");
  });
}

pid_t start_host_holder(const std::string& name) {
  return start_holder(name, [&] { make_host(name); });
}

void enter_host(pid_t holder) {
  const auto directory = std::filesystem::current_path();
  std::vector<FileDescriptor> files;
  for (const NamespaceKind& kind : host_namespaces) {
    const std::string path = fmt::format("/proc/{}/ns/{}", holder, kind.file);
    files.emplace_back(check_sys(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open {}", path));
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    check_sys(::setns(files[i].get(), host_namespaces[i].flag), "enter the {} namespace", host_namespaces[i].file);
  // Entering a mount namespace moves the process to its root directory.
  check_sys(::chdir(directory.c_str()), "return to {}", directory.string());
}

}  // namespace ringmark::lab

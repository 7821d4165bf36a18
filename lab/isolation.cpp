#include "lab/isolation.hpp"

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/system/files.hpp"
#include "lab/errors.hpp"

namespace ringmark::lab {
namespace {

// The user ID is not enough: root in a container usually lacks these capabilities.
bool has_privilege() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  const auto has = [&](int capability) { return (data[0].effective >> capability & 1U) != 0; };
  return has(CAP_SYS_ADMIN) && has(CAP_NET_ADMIN) && has(CAP_SYS_CHROOT);
}

std::string first_line(const std::string& path) {
  try {
    const std::string content = read_file(path);
    return content.substr(0, content.find('\n'));
  } catch (const std::system_error&) {
    return {};
  }
}

void enter_user_namespace() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWUSER) != 0)
    throw Unusable(fmt::format("without root the lab needs a user namespace, and the kernel refuses one ({}); {}",
                               std::generic_category().message(errno), namespace_remedy()));
  write_file("/proc/self/setgroups", "deny");  // the kernel requires it before a group may be mapped
  write_file("/proc/self/uid_map", fmt::format("0 {} 1", user));
  write_file("/proc/self/gid_map", fmt::format("0 {} 1", group));
}

void mount_or_explain(const char* type, const char* target, unsigned long flags, const char* data) {
  if (::mount(type, target, type, flags, data) == 0) return;
  throw Unusable(fmt::format("cannot mount {} on {} ({}); {}", type, target, std::generic_category().message(errno),
                             namespace_remedy()));
}

bool is_root(const FileDescriptor& directory) {
  struct stat there {};
  struct stat root {};
  check_sys(::fstat(directory.get(), &there), "read the status of a directory");
  check_sys(::stat("/", &root), "read the status of /");
  return there.st_dev == root.st_dev && there.st_ino == root.st_ino;
}

/// Makes mounts invisible to the rest of the machine. In a chroot its directory also becomes the root of the mount
/// namespace, because a process that enters a mount namespace finds itself at that root.
void separate_mounts() {
  check_sys(::unshare(CLONE_NEWNS), "make a mount namespace");
  const auto directory = std::filesystem::current_path();
  const FileDescriptor root(check_sys(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), "open /"));
  const FileDescriptor mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!mounts) throw Unusable("the lab needs /proc: mount -t proc proc /proc");
  check_sys(::setns(mounts.get(), CLONE_NEWNS), "go to the root of the mount namespace");
  check_sys(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make mounts private");
  if (!is_root(root)) {
    check_sys(::fchdir(root.get()), "return to the chroot's directory");
    const auto chroot_directory = std::filesystem::current_path();
    check_sys(::mount(chroot_directory.c_str(), chroot_directory.c_str(), nullptr, MS_BIND | MS_REC, nullptr),
              "make a mount of the chroot's directory");
    check_sys(::chdir(chroot_directory.c_str()), "enter the chroot's directory");
    if (::syscall(SYS_pivot_root, ".", ".") != 0)
      throw Unusable(fmt::format("the lab cannot make this chroot its root ({}); run it outside the chroot",
                                 std::generic_category().message(errno)));
    check_sys(::umount2(".", MNT_DETACH), "leave the machine's root");
  }
  check_sys(::chdir(directory.c_str()), "return to {}", directory.string());
}

/// A missing file cannot be covered, so its directory is: by a read-only view of itself with the file added.
void add_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path added = lab_path("added");
  check_sys(::mkdir(added.c_str(), 0755), "make {}", added.string());
  write_file(added / path.filename(), content);
  const auto directory = path.parent_path();
  const auto layers = fmt::format("lowerdir={}:{}", added.string(), directory.string());
  if (::mount("overlay", directory.c_str(), "overlay", MS_NOSUID | MS_NODEV | MS_RDONLY, layers.c_str()) != 0)
    throw Unusable(fmt::format("{0} does not exist and the lab cannot add it ({1}); create an empty one: touch {0}",
                               path.string(), std::generic_category().message(errno)));
}

bool has_mounted_root() {
  try {
    // A mount point is followed by its options, rw or ro.
    return read_file("/proc/self/mountinfo").find(" / r") != std::string::npos;
  } catch (const std::system_error&) {
    return true;
  }
}

}  // namespace

std::string namespace_remedy() {
  if (!has_mounted_root()) return "in a chroot the lab needs root";
  if (first_line("/proc/sys/kernel/unprivileged_userns_clone") == "0")
    return "set sysctl kernel.unprivileged_userns_clone=1, or run as root";
  if (first_line("/proc/sys/user/max_user_namespaces") == "0")
    return "set sysctl user.max_user_namespaces=10000, or run as root";
  if (first_line("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "set sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root";
  return "run as root, or in a container that may create namespaces (docker run --privileged)";
}

pid_t fork_init() {
  if (!has_privilege()) enter_user_namespace();
  // Not unshare and fork: the caller could start no process after init ends, but leak checkers start one.
  const auto init = ::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (init >= 0) return static_cast<pid_t>(init);
  throw Unusable(fmt::format("the kernel refuses a pid namespace ({}); {}", std::generic_category().message(errno),
                             namespace_remedy()));
}

void make_private_mounts() {
  separate_mounts();
  mount_or_explain("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  mount_or_explain("tmpfs", lab_directory, MS_NOSUID | MS_NODEV, "mode=0755");
}

void cover_file(const std::string& path, std::string_view content) {
  if (::access(path.c_str(), F_OK) != 0) return add_file(path, content);
  const std::string name = path.substr(path.rfind('/') + 1);
  write_lab_file(name, content);
  check_sys(::mount(lab_path(name).c_str(), path.c_str(), nullptr, MS_BIND, nullptr), "cover {}", path);
}

std::string lab_path(std::string_view name) { return fmt::format("{}/{}", lab_directory, name); }

void write_lab_file(std::string_view name, std::string_view content) { write_file(lab_path(name), content); }

void write_file(const std::string& path, std::string_view content) {
  const FileDescriptor file(
      check_sys(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), "write {}", path));
  while (!content.empty()) {
    const auto written = check_sys(::write(file.get(), content.data(), content.size()), "write {}", path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace ringmark::lab

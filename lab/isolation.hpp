// The lab's own corner of the machine: user, pid and mount namespaces that die with it.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace ringmark::lab {

/// Where the lab keeps its files: a tmpfs that only the lab's mount namespace sees. Every procfs has this empty
/// directory, made to be mounted on, so that no directory has to be made, which a SIGKILL would leave behind.
inline constexpr const char* lab_directory = "/proc/fs/nfsd";

/// As fork, but the child is the init of a new pid namespace and takes all others in it down when it dies.
/// Without the privilege the caller first moves into a user namespace in which it is root. Throws Unavailable.
pid_t fork_init();

/// What to tell the user where the kernel refuses namespaces or mounts.
std::string namespace_remedy();

/// For that init: a mount namespace with the pid namespace's /proc and an empty lab_directory.
void make_private_mounts();

/// Puts `content` in place of a file, for the lab only. Does nothing if there is no such file.
void cover_file(const std::string& path, std::string_view content);

/// A file in lab_directory.
std::string lab_path(std::string_view name);
void write_lab_file(std::string_view name, std::string_view content);

/// Throws std::system_error.
void write_file(const std::string& path, std::string_view content);

}  // namespace ringmark::lab

// The lab's user, pid and mount namespaces, which go away with it.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace ringmark::lab {

/// The lab's files: a tmpfs in its mount namespace. Every procfs has this empty directory for use as a mount point, so
/// the lab creates no directory that would remain if it is killed.
inline constexpr const char* lab_directory = "/proc/fs/nfsd";

/// Like fork, but the child is the init of a new pid namespace, whose processes end with it. An unprivileged caller
/// first moves into a user namespace in which it is root. Throws Unusable.
pid_t fork_init();

/// Advice for the user when the kernel refuses namespaces or mounts.
std::string namespace_remedy();

/// Called by the init process: creates a mount namespace with the pid namespace's /proc and an empty lab_directory.
void make_private_mounts();

/// Replaces a file's content inside the lab only. If the file does not exist, its directory becomes read-only in the
/// lab. May be called once.
void cover_file(const std::string& path, std::string_view content);

/// A file in lab_directory.
std::string lab_path(std::string_view name);
void write_lab_file(std::string_view name, std::string_view content);

/// Throws std::system_error.
void write_file(const std::string& path, std::string_view content);

}  // namespace ringmark::lab

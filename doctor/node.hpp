// A node's files, under a root folder that tests can redirect. They are read with the caller's permissions; a file that
// exists but cannot be read is recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringmark::doctor {

/// The space of a file system.
struct Space {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> free_bytes;  ///< empty if not recorded
};

class Node {
 public:
  /// `home` is the user's home folder, relative to the root. `port_mtus` maps an RDMA port (mlx5_0:1) to the MTU in
  /// bytes that its driver reports, and `shared_memory` is the space in /dev/shm; no file contains these.
  explicit Node(std::filesystem::path root = "/", std::string home = "root", std::map<std::string, int> port_mtus = {},
                std::optional<Space> shared_memory = std::nullopt)
      : root_(std::move(root)),
        home_(std::move(home)),
        port_mtus_(std::move(port_mtus)),
        shared_memory_(shared_memory) {}

  /// The file's content without trailing newlines and spaces; empty if it does not exist. Paths are relative to the
  /// root.
  std::optional<std::string> text(const std::filesystem::path& path) const;
  std::optional<long> number(const std::filesystem::path& path) const;
  /// Up to `most` bytes from the start of the file; fewer if the kernel shows fewer.
  std::string bytes(const std::filesystem::path& path, std::size_t most) const;
  bool exists(const std::filesystem::path& path) const;
  /// Sorted names in a folder; empty if it does not exist.
  std::vector<std::string> entries(const std::filesystem::path& path) const;
  /// The path with symbolic links resolved, relative to the root.
  std::filesystem::path real(const std::filesystem::path& path) const;

  const std::string& home() const { return home_; }
  /// The port's MTU in bytes; empty if no driver reports it.
  std::optional<int> port_mtu(const std::string& port) const;
  /// The space in /dev/shm; empty for a recorded node.
  const std::optional<Space>& shared_memory() const { return shared_memory_; }
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  std::filesystem::path root_;
  std::string home_;
  std::map<std::string, int> port_mtus_;
  std::optional<Space> shared_memory_;
  mutable std::vector<std::string> unreadable_;
};

}  // namespace ringmark::doctor

// A node's files, under a root folder that tests can point elsewhere. Everything is read as the caller may read it;
// what exists but may not be read is remembered.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringmark::doctor {

class Node {
 public:
  /// `home` is the user's folder as seen under the root, for files that are read from there. No file has the
  /// MTU that an RDMA port uses: by the port's name, like mlx5_0:1, as its driver tells it.
  explicit Node(std::filesystem::path root = "/", std::string home = "root", std::map<std::string, int> port_mtus = {})
      : root_(std::move(root)), home_(std::move(home)), port_mtus_(std::move(port_mtus)) {}

  /// Paths are relative to the root. Without the last newline; nothing if there is no such file.
  std::optional<std::string> text(const std::filesystem::path& path) const;
  std::optional<long> number(const std::filesystem::path& path) const;
  /// At most `most` bytes, fewer where the kernel shows fewer.
  std::string bytes(const std::filesystem::path& path, std::size_t most) const;
  bool exists(const std::filesystem::path& path) const;
  /// Names in a folder, sorted; none if there is no such folder.
  std::vector<std::string> entries(const std::filesystem::path& path) const;
  /// Where symbolic links lead, relative to the root.
  std::filesystem::path real(const std::filesystem::path& path) const;

  const std::string& home() const { return home_; }
  /// Bytes; nothing if no driver told it.
  std::optional<int> port_mtu(const std::string& port) const;
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  std::filesystem::path root_;
  std::string home_;
  std::map<std::string, int> port_mtus_;
  mutable std::vector<std::string> unreadable_;
};

}  // namespace ringmark::doctor

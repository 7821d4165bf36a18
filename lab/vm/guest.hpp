// The folder used to exchange files between host and guest.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "lab/options.hpp"

namespace ringmark::lab {

extern const std::string_view guest_start, guest_network;

/// A folder that the guest can write to; removed by the destructor.
class ControlFolder {
 public:
  explicit ControlFolder(const VmOptions& options);
  ~ControlFolder();
  ControlFolder(const ControlFolder&) = delete;
  ControlFolder& operator=(const ControlFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path console() const { return path_ / "console"; }
  bool has_started() const { return std::filesystem::exists(path_ / "started"); }
  /// The command's exit status, once it has ended.
  std::optional<int> status() const;

 private:
  std::filesystem::path path_;
};

}  // namespace ringmark::lab

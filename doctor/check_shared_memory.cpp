#include <cstdint>
#include <sstream>

#include <fmt/format.h>

#include "doctor/checks.hpp"

namespace ringmark::doctor {
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

/// Bytes of "65536k", "1g", "1073741824"; empty for other text, such as a percentage.
std::optional<std::uint64_t> bytes_of(const std::string& size) {
  std::istringstream text(size);
  std::uint64_t value = 0;
  char unit = ' ';
  if (!(text >> value)) return std::nullopt;
  text >> unit;
  const int shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
  return shift == 0 && unit != ' ' ? std::nullopt : std::optional(value << shift);
}

/// Without a size option, Linux gives a tmpfs half of the memory.
std::optional<std::uint64_t> half_of_memory(const Node& node) {
  constexpr std::string_view row = "MemTotal:";
  std::istringstream lines(node.text("proc/meminfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::uint64_t kibibytes = 0;
    if (line.starts_with(row) && std::istringstream(line.substr(row.size())) >> kibibytes) return kibibytes * 512;
  }
  return std::nullopt;
}

/// The size shown in a recorded node's list of mounts. A later mount hides an earlier one.
std::optional<Space> recorded_space(const Node& node) {
  std::optional<Space> space;
  std::istringstream lines(node.text("proc/mounts").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device, folder, kind, options;
    words >> device >> folder >> kind >> options;
    if (folder != "/dev/shm" || kind != "tmpfs") continue;
    constexpr std::string_view key = "size=";
    const auto at = ("," + options).find("," + std::string(key));
    const auto bytes = at == std::string::npos ? half_of_memory(node) : bytes_of(options.substr(at + key.size()));
    space = bytes ? std::optional(Space{*bytes, std::nullopt}) : std::nullopt;
  }
  return space;
}

}  // namespace

void check_shared_memory(const Node& node, Findings& findings) {
  const auto space = node.shared_memory() ? node.shared_memory() : recorded_space(node);
  if (!space) return;
  // NCCL creates a segment of about 10 MB for each pair of ranks within the node and each channel.
  constexpr std::uint64_t enough = 512 * mebibyte, enough_free = 256 * mebibyte;
  Finding finding{Severity::fine, "shared_memory", "/dev/shm", fmt::format("{} MiB", space->bytes / mebibyte), "", ""};
  if (space->free_bytes) finding.evidence += fmt::format(", {} MiB of it free", *space->free_bytes / mebibyte);
  if (space->bytes < enough) {
    finding.severity = Severity::warning;
    finding.remedy =
        "docker run --shm-size=1g   (Kubernetes: mount an emptyDir with medium: Memory at /dev/shm; without more "
        "memory: NCCL_SHM_DISABLE=1)";
  } else if (space->free_bytes.value_or(enough_free) < enough_free) {
    finding.severity = Severity::warning;
    finding.remedy = "ls -l /dev/shm   (remove the nccl-* segments of killed programs)";
  }
  if (finding.severity != Severity::fine)
    finding.meaning =
        "NCCL's shared-memory segments, about 10 MB for each pair of ranks within a node, may not fit: \"unhandled "
        "system error\" or a bus error";
  findings.push_back(std::move(finding));
}

}  // namespace ringmark::doctor

#include "transports/nccl/version.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace ringmark {

std::string nccl_version_text(int version) {
  return version < 10'000 ? fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100)
                          : fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
}

int nccl_version_number(std::string_view text) {
  std::array<int, 3> parts{};
  for (auto& part : parts) {
    const auto* end = std::from_chars(text.data(), text.data() + text.size(), part).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
  }
  const auto& [major, minor, patch] = parts;
  const bool is_early = major == 2 && minor <= 8;
  return is_early ? major * 1000 + minor * 100 + patch : major * 10'000 + minor * 100 + patch;
}

}  // namespace ringmark

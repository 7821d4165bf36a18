#include "results/status.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ringmark {
namespace {

constexpr std::array<std::string_view, 7> names{"ok",    "unsupported", "ignored", "bypassed",
                                                "wrong", "failed",      "timeout"};
static_assert(static_cast<std::size_t>(Status::timeout) + 1 == names.size());

}  // namespace

std::string_view name(Status status) { return names[static_cast<std::size_t>(status)]; }

std::optional<Status> parse_status(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Status>(found - names.begin());
}

}  // namespace ringmark

// The outcome of a row's measurement. results/README.md explains each.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark {

/// From best to worst.
enum class Status { ok, unsupported, ignored, bypassed, wrong, failed, timeout };

/// The text in the column `status`.
std::string_view name(Status status);
std::optional<Status> parse_status(std::string_view name);

/// Something was measured, but not as requested. Programs exit with exit_wrong.
inline bool is_not_as_asked(Status status) { return status == Status::wrong || status == Status::bypassed; }
/// Nothing was measured, although it should have been.
inline bool is_failure(Status status) { return status == Status::failed || status == Status::timeout; }

}  // namespace ringmark

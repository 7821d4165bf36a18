#include "results/schema/status.hpp"

#include "base/text/names.hpp"

namespace ringmark {
namespace {

constexpr auto statuses =
    names_up_to<Status::timeout>("ok", "unsupported", "ignored", "bypassed", "wrong", "failed", "timeout");

}  // namespace

std::string_view name(Status status) { return statuses.of(status); }
std::optional<Status> parse_status(std::string_view name) { return statuses.find(name); }

}  // namespace ringmark

// The name of a run, and the number of the launch within it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

struct RunId {
  std::string run;
  std::optional<std::size_t> launch;  ///< of a sweep, from 1

  bool operator==(const RunId&) const = default;
  auto operator<=>(const RunId&) const = default;
};

/// "run", or "run.7" for launch 7.
std::string to_text(const RunId& id);
/// Every text is the id of a run; to_text gives it back.
RunId parse_run_id(std::string_view text);

}  // namespace ringmark

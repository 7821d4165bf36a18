#include "results/run_id.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/option.hpp"

namespace ringmark {

std::string to_text(const RunId& id) { return id.launch ? fmt::format("{}.{}", id.run, *id.launch) : id.run; }

RunId parse_run_id(std::string_view text) {
  const auto dot = text.rfind('.');
  std::size_t launch = 0;
  // A number that would be written otherwise, such as "007", belongs to the name.
  const bool has_launch =
      dot != std::string_view::npos && !text.substr(dot + 1).starts_with('0') &&
      read_number<std::size_t>(text.substr(dot + 1), 1, std::numeric_limits<std::size_t>::max(), launch);
  return has_launch ? RunId{std::string(text.substr(0, dot)), launch} : RunId{std::string(text), std::nullopt};
}

}  // namespace ringmark

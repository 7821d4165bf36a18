#include "base/text/with_count.hpp"

#include <fmt/format.h>

namespace ringmark {

std::string with_count(std::size_t count, std::string_view thing) {
  const std::string_view plural = thing.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : plural);
}

}  // namespace ringmark

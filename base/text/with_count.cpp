#include "base/text/with_count.hpp"

#include <fmt/format.h>

namespace ringmark {

std::string with_count(std::size_t count, std::string_view noun) {
  const std::string_view plural = noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural);
}

}  // namespace ringmark

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringmark {

/// "1 link", "12 links", "2 launches". `noun` in the singular, with a regular plural.
std::string with_count(std::size_t count, std::string_view noun);

}  // namespace ringmark

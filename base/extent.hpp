// A range of consecutive elements.
#pragma once

#include <cstddef>

namespace ringmark {

struct Extent {
  std::size_t offset;
  std::size_t length;

  bool operator==(const Extent&) const = default;
};

}  // namespace ringmark

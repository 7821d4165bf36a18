#pragma once

#include <cstddef>

namespace ringmark::accept {

/// The probability that at least `slow` of `all` measurements are slow if each is slow with probability `share`.
double chance_of_at_least(std::size_t slow, std::size_t all, double share);

}  // namespace ringmark::accept

// Sizes and numbers as people write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

inline constexpr std::size_t kibi = 1024, mebi = 1024 * kibi;
/// GB/s are 10^9 bytes a second.
inline constexpr double bytes_per_us_per_GBps = 1e3;

/// "8", "64K", "64KiB", "64KB", "1G": K, M, G and T are powers of 1024, as in nccl-tests, with or without "B" or "iB",
/// in either case. Empty for anything else: signs, fractions, and numbers that do not fit std::size_t.
std::optional<std::size_t> parse_size(std::string_view text);

/// A finite decimal number such as "-1.5" and "1e6", or a size; empty for any other text.
std::optional<double> parse_figure(std::string_view text);

/// The shortest exact form that parse_size reads: "64K", "1000", "1M".
std::string format_size(std::size_t bytes);

}  // namespace ringmark

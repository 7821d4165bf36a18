// A link's rate in tc's spelling, and the token bucket that enforces it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark::lab {

struct Rate {
  std::uint64_t bits_per_second = 0;  // 0: unshaped

  bool shaped() const { return bits_per_second != 0; }
  bool operator==(const Rate&) const = default;
};

constexpr std::string_view allowed_rates =
    "a number with bit, kbit, mbit or gbit, such as 1gbit or 2.5gbit, from 8kbit to 400gbit; or 0 for no shaping";

/// Empty if the text is not one of `allowed_rates`.
std::optional<Rate> parse_rate(std::string_view text);

/// In the largest unit that gives a whole number: "1gbit", "2500mbit"; "0" for unshaped. parse_rate accepts the result.
std::string to_string(Rate rate);

/// Size of the token bucket: the bytes that an idle link lets through at once. tbf wakes up late on busy cores, and
/// tokens that overflow a full bucket meanwhile are lost; so the bucket holds two milliseconds of the rate, but at
/// least 8 and at most 128 KiB.
std::uint32_t usual_burst_bytes(Rate rate);

constexpr std::string_view allowed_bursts = "a size from 2K, enough for a packet, to 64M";

/// Empty if the text is not one of `allowed_bursts`.
std::optional<std::uint32_t> parse_burst(std::string_view text);

}  // namespace ringmark::lab

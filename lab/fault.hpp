// A change to a link while the command runs: its rate, loss, delay, corruption, or whether it is up.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lab/rate.hpp"

namespace ringmark::lab {

struct RateChange {
  Rate rate;
};
struct LossChange {
  double percent;  // of the packets, in each direction
};
struct DelayChange {
  std::chrono::milliseconds one_way;
};
struct CorruptionChange {
  double percent;  // of the packets, in each direction
};
struct LinkDown {};
struct LinkUp {};
using Change = std::variant<RateChange, LossChange, DelayChange, CorruptionChange, LinkDown, LinkUp>;

struct Fault {
  std::string part;  // a link, or a host or switch to mean all its links
  Change change;
  std::chrono::milliseconds after;  // after the command's start
};

constexpr std::string_view allowed_faults =
    "PART:CHANGE@TIME, where CHANGE is rate=RATE, loss=PERCENT, delay=TIME, corruption=PERCENT, down or up, such as "
    "leaf1-spine2:rate=50mbit@5s, host-2:loss=0.5%@500ms or spine1:down@3s";

/// Empty if the text is not one of `allowed_faults`. Does not check that the part exists.
std::optional<Fault> parse_fault(std::string_view text);

/// "rate 50mbit", "loss 0.5 %", "down".
std::string to_string(const Change& change);

/// The state of a link.
struct LinkState {
  Rate rate;
  std::uint32_t burst_bytes = 0;  // of its buckets; 0: the default for the rate
  double loss_percent = 0;
  std::chrono::milliseconds delay{0};
  double corruption_percent = 0;
  bool is_up = true;

  std::uint32_t bucket_bytes() const { return burst_bytes > 0 ? burst_bytes : usual_burst_bytes(rate); }
  LinkState after(const Change& change) const;
  bool operator==(const LinkState&) const = default;
};

}  // namespace ringmark::lab

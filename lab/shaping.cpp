#include "lab/shaping.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ringmark::lab {
namespace {

std::string netem_words(const LinkState& state) {
  std::string words;
  if (state.delay.count() > 0) words += fmt::format(" delay {}ms", state.delay.count());
  if (state.loss_percent > 0) words += fmt::format(" loss {:g}%", state.loss_percent);
  if (state.corruption_percent > 0) words += fmt::format(" corrupt {:g}%", state.corruption_percent);
  return words;
}

}  // namespace

std::string shaping_batch(const std::string& device, const LinkState& state, bool has_netem) {
  std::string batch;
  if (state.rate.shaped())
    batch += fmt::format("qdisc replace dev {} root handle 1: tbf rate {} burst {}b latency 20ms\n", device,
                         to_string(state.rate), state.bucket_bytes());
  const auto netem = has_netem ? netem_words(state) : "";
  if (!netem.empty())
    batch += fmt::format("qdisc replace dev {} {} handle 10: netem limit 10000{}\n", device,
                         state.rate.shaped() ? "parent 1:1" : "root", netem);
  return batch;
}

std::string shaping_batch(const std::string& device, const LinkState& before, const LinkState& state, bool has_netem) {
  const auto old = shaping_batch(device, before, has_netem), wanted = shaping_batch(device, state, has_netem);
  if (old == wanted) return "";
  const bool only_rate = before.rate.shaped() && state.rate.shaped() && netem_words(before) == netem_words(state);
  // If only the rate changes, the bucket keeps its queue.
  return (old.empty() || only_rate ? "" : fmt::format("qdisc del dev {} root\n", device)) + wanted;
}

std::string loss_rules(const std::string& device, double percent) {
  const auto table = "netdev lab-" + device;
  auto rules = fmt::format("add table {0}\ndelete table {0}\n", table);
  constexpr long million = 1'000'000;
  if (const auto share = std::lround(percent / 100 * million); share > 0)
    rules += fmt::format(
        "table {} {{\n"
        "  chain receives {{\n"
        "    type filter hook ingress device \"{}\" priority 0;\n"
        "    {}drop\n"
        "  }}\n"
        "}}\n",
        table, device, share < million ? fmt::format("numgen random mod {} < {} ", million, share) : "");
  return rules;
}

std::uint32_t most_segment_bytes(const std::vector<LinkState>& states) {
  auto bytes = unlimited_segment_bytes;
  for (const auto& state : states) {
    if (state.rate.shaped()) bytes = std::min(bytes, state.bucket_bytes() / 2);
  }
  return bytes;
}

std::string segment_batch(const std::string& device, std::uint32_t most_bytes) {
  return fmt::format("link set dev {} gso_max_size {}\n", device, most_bytes);
}

std::string single_packets_batch(const std::string& device) {
  return fmt::format("link set dev {} gso_max_segs 1\n", device);
}

}  // namespace ringmark::lab

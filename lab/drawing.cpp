#include "lab/drawing.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringmark::lab {
namespace {

std::string rate_text(Rate rate) { return rate.shaped() ? to_string(rate) : "unshaped"; }

std::string host_line(const Network& network, const Host& host) {
  std::string line = fmt::format("  {:<10}", host.name);
  for (std::size_t rail = 0; rail < host.nics.size(); ++rail) {
    const auto& nic = host.nics[rail];
    line +=
        fmt::format("  {} {} {}", nic.device, nic.address, rate_text(network.links[network.link_of(host, rail)].rate));
  }
  return line + "\n";
}

/// The ratio of the bandwidth of a leaf's hosts to that of its uplinks; empty if a link is unshaped.
std::string oversubscription(const Network& network, std::size_t leaf) {
  double below = 0, above = 0;
  for (const auto& link : network.links) {
    const bool is_uplink = !link.ends[0].is_host;
    if (link.ends[is_uplink ? 0 : 1].node != leaf) continue;
    if (!link.rate.shaped()) return "";
    (is_uplink ? above : below) += static_cast<double>(link.rate.bits_per_second);
  }
  return fmt::format("  {:.3g}:1", below / above);
}

class Svg {
 public:
  explicit Svg(const Network& network) : network_(network) {
    const auto hosts = static_cast<double>(network.hosts.size());
    width_ = std::max(hosts * host_width, static_cast<double>(network.switches.size()) * switch_width);
  }

  std::string draw() {
    for (const auto& link : network_.links) draw_line(link);
    for (std::size_t i = 0; i < network_.switches.size(); ++i) {
      const End end{false, i, ""};
      draw_box(end, network_.switches[i].name, 70);
    }
    for (std::size_t i = 0; i < network_.hosts.size(); ++i) draw_box({true, i, ""}, network_.hosts[i].name, 52);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n{2}</svg>\n",
        width_, height, text_);
  }

 private:
  struct Point {
    double x, y;
  };

  static double spread(std::size_t place, std::size_t count, double width) {
    return width * (static_cast<double>(place) + 0.5) / static_cast<double>(count);
  }

  Point place_of(const End& end) const {
    if (end.is_host) return {spread(end.node, network_.hosts.size(), width_), height - 25};
    if (!network_.is_fabric()) return {width_ / 2, 120};
    const auto leaves = static_cast<std::size_t>(network_.leaves);
    if (end.node < leaves) return {spread(end.node, leaves, width_), 120};
    return {spread(end.node - leaves, static_cast<std::size_t>(network_.spines), width_), 25};
  }

  void draw_line(const Link& link) {
    auto from = place_of(link.ends[0]), to = place_of(link.ends[1]);
    // A host's rails go next to each other.
    if (link.ends[0].is_host) {
      const auto& nics = network_.hosts[link.ends[0].node].nics;
      const auto rail =
          std::find_if(nics.begin(), nics.end(), [&](const Nic& nic) { return nic.device == link.ends[0].device; });
      const double shift = (static_cast<double>(rail - nics.begin()) - static_cast<double>(nics.size() - 1) / 2) * 8;
      from.x += shift;
      to.x += shift;
    }
    text_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#678\"><title>{} {}</title></line>\n",
        from.x, from.y, to.x, to.y, link.name, rate_text(link.rate));
  }

  void draw_box(const End& end, const std::string& name, double width) {
    const auto at = place_of(end);
    text_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"24\" rx=\"4\" fill=\"{}\" stroke=\"#345\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        at.x - width / 2, at.y - 12, width, end.is_host ? "#eef4e8" : "#e4ecf7", at.x, at.y + 4, name);
  }

  static constexpr double height = 240, host_width = 60, switch_width = 80;
  const Network& network_;
  double width_;
  std::string text_;
};

}  // namespace

std::string draw_text(const Network& network) {
  if (!network.is_fabric()) {
    std::string text = network.switches.front().name + "\n";
    for (const auto& host : network.hosts) text += host_line(network, host);
    return text;
  }
  std::string text = fmt::format("{:<12}", "");
  for (std::size_t spine = 0; spine < static_cast<std::size_t>(network.spines); ++spine)
    text += fmt::format("  {:<10}", network.switches[network.spine(spine)].name);
  text += "  oversubscription\n";
  for (std::size_t leaf = 0; leaf < static_cast<std::size_t>(network.leaves); ++leaf) {
    text += fmt::format("{:<12}", network.switches[leaf].name);
    for (std::size_t spine = 0; spine < static_cast<std::size_t>(network.spines); ++spine)
      text += fmt::format("  {:<10}", rate_text(network.links[network.uplink(leaf, spine)].rate));
    text += oversubscription(network, leaf) + "\n";
    for (const auto& host : network.hosts) {
      if (network.leaf_of(host) == leaf) text += host_line(network, host);
    }
  }
  return text + fmt::format("links: {}\n", link_names(network));
}

std::string draw_svg(const Network& network) { return Svg(network).draw(); }

}  // namespace ringmark::lab

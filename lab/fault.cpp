#include "lab/fault.hpp"

#include <fmt/format.h>

#include "base/flags/option.hpp"
#include "lab/duration.hpp"

namespace ringmark::lab {
namespace {

std::optional<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double percent = 0;
  if (!read_number(text, 0.0, 100.0, percent)) return std::nullopt;
  return percent;
}

std::optional<Change> parse_change(std::string_view text) {
  if (text == "down") return LinkDown{};
  if (text == "up") return LinkUp{};
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "rate") {
    if (const auto rate = parse_rate(value)) return RateChange{*rate};
  } else if (name == "loss") {
    if (const auto percent = parse_percent(value)) return LossChange{*percent};
  } else if (name == "corruption") {
    if (const auto percent = parse_percent(value)) return CorruptionChange{*percent};
  } else if (name == "delay") {
    if (const auto delay = parse_duration(value)) return DelayChange{*delay};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> parse_fault(std::string_view text) {
  const auto colon = text.find(':'), at = text.rfind('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || colon == 0 || at < colon) return std::nullopt;
  const auto change = parse_change(text.substr(colon + 1, at - colon - 1));
  const auto after = parse_duration(text.substr(at + 1));
  if (!change || !after) return std::nullopt;
  return Fault{std::string(text.substr(0, colon)), *change, *after};
}

std::string to_string(const Change& change) {
  struct Words {
    std::string operator()(const RateChange& to) const {
      return to.rate.shaped() ? "rate " + to_string(to.rate) : "rate unlimited";
    }
    std::string operator()(const LossChange& to) const { return fmt::format("loss {:g} %", to.percent); }
    std::string operator()(const DelayChange& to) const { return "delay " + to_string(to.one_way); }
    std::string operator()(const CorruptionChange& to) const { return fmt::format("corruption {:g} %", to.percent); }
    std::string operator()(const LinkDown&) const { return "down"; }
    std::string operator()(const LinkUp&) const { return "up"; }
  };
  return std::visit(Words{}, change);
}

LinkState LinkState::after(const Change& change) const {
  auto state = *this;
  struct Apply {
    LinkState& state;
    void operator()(const RateChange& to) const { state.rate = to.rate; }
    void operator()(const LossChange& to) const { state.loss_percent = to.percent; }
    void operator()(const DelayChange& to) const { state.delay = to.one_way; }
    void operator()(const CorruptionChange& to) const { state.corruption_percent = to.percent; }
    void operator()(const LinkDown&) const { state.is_up = false; }
    void operator()(const LinkUp&) const { state.is_up = true; }
  };
  std::visit(Apply{state}, change);
  return state;
}

}  // namespace ringmark::lab

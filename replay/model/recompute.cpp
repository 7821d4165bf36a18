#include "replay/model/recompute.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "base/flags/option.hpp"
#include "base/text/spelling.hpp"

namespace ringmark::replay {
namespace {

constexpr std::uint64_t most_layers = 1'000'000;
constexpr std::string_view block_prefix = "block:";

void for_each_module(Module& module, const std::function<void(Module&)>& visit) {
  visit(module);
  for (auto& child : module.children) for_each_module(child, visit);
}

/// Marks the outermost layers, and returns how many of `left` remain.
std::uint64_t mark_layers(Module& module, std::uint64_t left) {
  if (!is_layer(module)) {
    for (auto& child : module.children) left = mark_layers(child, left);
    return left;
  }
  if (left == 0) return 0;
  for_each_module(module, [](Module& each) { each.recompute_core = false; });
  module.recompute = true;
  return left - 1;
}

void mark_attention(Module& module) {
  if (module.recompute) return;
  module.recompute_core = is_attention(module);
  for (auto& child : module.children) mark_attention(child);
}

bool has_attention(const Module& module) {
  return is_attention(module) || std::any_of(module.children.begin(), module.children.end(), has_attention);
}

std::uint64_t layers_of(const Module& module) {
  if (is_layer(module)) return 1;
  std::uint64_t sum = 0;
  for (const auto& child : module.children) sum += layers_of(child);
  return sum;
}

}  // namespace

std::optional<Recompute> parse_recompute(std::string_view text) {
  using enum Recompute::Kind;
  static constexpr std::array<std::pair<std::string_view, Recompute::Kind>, 11> words{{{"no", none},
                                                                                       {"none", none},
                                                                                       {"false", none},
                                                                                       {"off", none},
                                                                                       {"0", none},
                                                                                       {"selective", selective},
                                                                                       {"full", full},
                                                                                       {"yes", full},
                                                                                       {"true", full},
                                                                                       {"on", full},
                                                                                       {"1", full}}};
  const auto lower = lower_case(text);
  for (const auto& [word, kind] : words) {
    if (word == lower) return Recompute{kind};
  }
  std::uint64_t layers = 0;
  if (lower.starts_with(block_prefix) &&
      read_number<std::uint64_t>(lower.substr(block_prefix.size()), 1, most_layers, layers))
    return Recompute{full, layers};
  return std::nullopt;
}

std::string name(const Recompute& recompute) {
  switch (recompute.kind) {
    case Recompute::Kind::none:
      return "no";
    case Recompute::Kind::selective:
      return "selective";
    case Recompute::Kind::full:
      break;
  }
  return recompute.first_layers > 0 ? fmt::format("{}{}", block_prefix, recompute.first_layers) : "full";
}

void mark_recomputed(Model& model, const Recompute& recompute) {
  if (recompute.kind == Recompute::Kind::selective) mark_attention(model.forward);
  if (recompute.kind == Recompute::Kind::full)
    mark_layers(model.forward, recompute.first_layers > 0 ? recompute.first_layers : most_layers);
}

std::optional<Problem> problem_of_recompute(const Model& model, const Recompute& recompute, const std::string& who) {
  Problem problem{.flag = who, .value = name(recompute)};
  if (recompute.first_layers > 0) {
    const auto layers = layers_of(model.forward);
    problem.text = fmt::format("{} has {} layers", model.name, layers);
    problem.remedy = "give at most this number";
    return recompute.first_layers > layers ? std::optional(problem) : std::nullopt;
  }
  if (recompute.kind != Recompute::Kind::selective) return std::nullopt;
  if (!has_attention(model.forward)) {
    problem.text = fmt::format("{}: no module is recognised as attention", model.name);
    problem.remedy = "end the names of the modules that hold its projections in attn or attention, or give full";
    return problem;
  }
  if (model.dimensions.hidden == 0) {
    problem.text = fmt::format("{} has no dimensions, so the work of attention is unknown", model.name);
    problem.remedy = "add dimensions: {layers, hidden, heads, vocabulary}, or give full";
    return problem;
  }
  return std::nullopt;
}

}  // namespace ringmark::replay

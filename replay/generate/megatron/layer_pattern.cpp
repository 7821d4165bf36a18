#include "replay/generate/megatron/layer_pattern.hpp"

#include <utility>

#include "base/flags/option.hpp"

namespace ringmark::replay::megatron {
namespace {

class LayerPattern {
 public:
  explicit LayerPattern(std::string_view text) : rest_(text) {}

  std::optional<std::vector<bool>> read() {
    auto layers = sum();
    if (!layers || !rest_.empty()) return std::nullopt;
    return layers;
  }

 private:
  using Layers = std::optional<std::vector<bool>>;
  static constexpr int most_layers = 1 << 16, most_depth = 16;

  bool take(char each) {
    if (!rest_.starts_with(each)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Layers sum() {
    std::vector<bool> all;
    do {
      const auto part = product();
      if (!part || all.size() + part->size() > most_layers) return std::nullopt;
      all.insert(all.end(), part->begin(), part->end());
    } while (take('+'));
    return all;
  }

  Layers product() {
    auto part = list();
    while (part && take('*')) {
      const auto digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
      int times = 0;
      if (!read_number(digits, 0, most_layers, times) || part->size() * static_cast<std::size_t>(times) > most_layers)
        return std::nullopt;
      rest_.remove_prefix(digits.size());
      std::vector<bool> all;
      for (int time = 0; time < times; ++time) all.insert(all.end(), part->begin(), part->end());
      part = std::move(all);
    }
    return part;
  }

  Layers list() {
    if (take('(')) {
      if (++depth_ > most_depth) return std::nullopt;
      auto inner = sum();
      return take(')') ? inner : std::nullopt;
    }
    if (!take('[')) return std::nullopt;
    std::vector<bool> layers;
    do {
      const bool has_experts = take('1');
      if (!has_experts && !take('0')) return std::nullopt;
      layers.push_back(has_experts);
    } while (take(','));
    return take(']') ? Layers(std::move(layers)) : std::nullopt;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

std::optional<std::vector<bool>> read_layer_pattern(std::string_view text) { return LayerPattern(text).read(); }

}  // namespace ringmark::replay::megatron

// Which activations the backward pass recomputes instead of keeping them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/problem.hpp"
#include "replay/model/model.hpp"

namespace ringmark::replay {

struct Recompute {
  enum class Kind {
    none,
    selective,  ///< core attention: scores, softmax, dropout and their product with values, as Megatron-LM has it
    full,       ///< whole layers
  };

  Kind kind = Kind::none;
  std::uint64_t first_layers = 0;  ///< full: the number of first layers that are recomputed; 0: all

  auto operator<=>(const Recompute&) const = default;
};

/// "no", "selective", "full" or "block:4"; also boolean words, where true is "full".
std::optional<Recompute> parse_recompute(std::string_view text);
constexpr std::string_view recompute_words = "no, selective, full, or block:N for the first N layers";

std::string name(const Recompute& recompute);

/// Marks what is recomputed, in addition to what the model's description marks. Core attention is not marked in a layer
/// that is recomputed.
void mark_recomputed(Model& model, const Recompute& recompute);

/// The problem if the model's core attention is unknown or it has too few layers, else empty; `who` is the flag or the
/// key.
std::optional<Problem> problem_of_recompute(const Model& model, const Recompute& recompute, const std::string& who);

}  // namespace ringmark::replay

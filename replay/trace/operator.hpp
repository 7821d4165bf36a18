// The operators of a computation by their shapes, from which a device's time follows.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark::replay {

struct Operator {
  enum class Kind {
    product,    ///< of matrices: rows × columns results, each a sum over `inner` terms
    attention,  ///< causal: `rows` tokens in sequences of `columns` tokens; `inner` is the width of all heads
    loss,       ///< over logits: `rows` tokens, `columns` words of the vocabulary
  };

  Kind kind = Kind::product;
  double rows = 0, columns = 0, inner = 0;
  double heads = 0;   ///< of attention
  double window = 0;  ///< of attention: the tokens that one attends to at most, itself included; 0: all before it

  /// Mean number of scores per token that the mask and the window leave.
  double attended() const {
    const double most = window > 0 && window < columns ? window : columns;
    return most - most * most / (2 * columns);
  }

  bool operator==(const Operator&) const = default;
};

std::string_view name(Operator::Kind kind);
std::optional<Operator::Kind> parse_operator_kind(std::string_view text);

}  // namespace ringmark::replay

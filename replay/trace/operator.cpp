#include "replay/trace/operator.hpp"

#include <array>

namespace ringmark::replay {
namespace {

constexpr std::array operator_kinds{Operator::Kind::product, Operator::Kind::attention, Operator::Kind::loss};

}  // namespace

std::string_view name(Operator::Kind kind) {
  switch (kind) {
    case Operator::Kind::product:
      return "product";
    case Operator::Kind::attention:
      return "attention";
    case Operator::Kind::loss:
      return "loss";
  }
  return {};
}

std::optional<Operator::Kind> parse_operator_kind(std::string_view text) {
  for (const auto kind : operator_kinds) {
    if (name(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace ringmark::replay
